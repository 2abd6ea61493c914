#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Numba's CUDA simulator as a side of the comparison, at the small sizes.

  numba_side.py --list          its cases
  numba_side.py --case NAME [--samples N] [--budget-ms MS]

The simulator runs each thread of a block as a thread of Python. Kernels are those of
cuda_side.cu in Python; inputs differ, sizes and launch shapes do not. Prints one JSON object
like the other sides; exits with 3 and a sentence where numba is missing.
"""

import argparse
import json
import os
import sys
import time

os.environ["NUMBA_ENABLE_CUDASIM"] = "1"  # before the import
try:
    import numpy
    import numba
    from numba import cuda, float32, int32
except ImportError as error:
    print(f"numba_side.py: {error}: it needs python3-numba", file=sys.stderr)
    sys.exit(3)

BLOCK, TILE, BARRIER_STEPS, LIMIT = 256, 16, 64, 256


@cuda.jit
def vector_add(n, x, y, out):
    i = cuda.grid(1)
    if i < n:
        out[i] = x[i] + y[i]


@cuda.jit
def mandelbrot(n, out):
    col, row = cuda.grid(2)
    if row >= n or col >= n:
        return
    cx = 3.0 * col / n - 2.0
    cy = 3.0 * row / n - 1.5
    x = y = 0.0
    steps = 0
    while steps < LIMIT and x * x + y * y <= 4.0:
        x, y = x * x - y * y + cx, 2 * x * y + cy
        steps += 1
    out[row, col] = steps


@cuda.jit
def matrix_product(n, a, b, out):
    col, row = cuda.grid(2)
    if row >= n or col >= n:
        return
    total = 0.0
    for k in range(n):
        total += a[row, k] * b[k, col]
    out[row, col] = total


@cuda.jit
def sum_classic(n, x, sums):
    s = cuda.shared.array(BLOCK, float32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[t] = x[i] if i < n else 0.0
    cuda.syncthreads()
    half = BLOCK // 2
    while half > 0:
        if t < half:
            s[t] += s[t + half]
        cuda.syncthreads()
        half //= 2
    if t == 0:
        sums[cuda.blockIdx.x] = s[0]


@cuda.jit
def matrix_product_tiled(n, a, b, out):
    tile_a = cuda.shared.array((TILE, TILE), float32)
    tile_b = cuda.shared.array((TILE, TILE), float32)
    tx = cuda.threadIdx.x
    ty = cuda.threadIdx.y
    col, row = cuda.grid(2)
    total = 0.0
    for first in range(0, n, TILE):
        tile_a[ty, tx] = a[row, first + tx]
        tile_b[ty, tx] = b[first + ty, col]
        cuda.syncthreads()
        for k in range(TILE):
            total += tile_a[ty, k] * tile_b[k, tx]
        cuda.syncthreads()
    out[row, col] = total


@cuda.jit
def barriers(x, out):
    s = cuda.shared.array((2, BLOCK), int32)
    t = cuda.threadIdx.x
    i = cuda.grid(1)
    s[1, t] = x[i]
    cuda.syncthreads()
    for step in range(BARRIER_STEPS):
        to = step % 2
        s[to, t] = s[1 - to, (t + 1) % BLOCK] + 1
        cuda.syncthreads()
    out[i] = s[(BARRIER_STEPS - 1) % 2, t]


# ---- one case each: (run, check), where run() launches and waits ----


def make_vector_add(random):
    n = 4096
    x, y = (cuda.to_device(random.random(n, dtype=numpy.float32)) for _ in range(2))
    out = cuda.to_device(numpy.full(n, numpy.nan, numpy.float32))

    def check():
        return numpy.array_equal(out.copy_to_host(), x.copy_to_host() + y.copy_to_host())

    return n, lambda: vector_add[n // BLOCK, BLOCK](n, x, y, out), check


def make_mandelbrot(_random):
    n = 32
    out = cuda.to_device(numpy.full((n, n), -1, numpy.int32))

    def check():
        row, col = numpy.mgrid[0:n, 0:n]
        c = 3.0 * col / n - 2.0 + 1j * (3.0 * row / n - 1.5)
        z = numpy.zeros_like(c)
        steps = numpy.zeros(c.shape, numpy.int32)
        for _ in range(LIMIT):
            inside = numpy.abs(z) ** 2 <= 4.0
            steps += inside
            z = numpy.where(inside, z * z + c, z)
        return (out.copy_to_host() != steps).sum() <= n * n // 200  # roundings at the edge

    return n, lambda: mandelbrot[(n // TILE, n // TILE), (TILE, TILE)](n, out), check


def make_product(kernel):
    def make(random):
        n = 32
        a, b = (cuda.to_device(random.standard_normal((n, n), dtype=numpy.float32))
                for _ in range(2))
        out = cuda.to_device(numpy.full((n, n), numpy.nan, numpy.float32))

        def check():
            want = a.copy_to_host().astype(float) @ b.copy_to_host().astype(float)
            return numpy.allclose(out.copy_to_host(), want, rtol=0, atol=1e-3)

        return n, lambda: kernel[(n // TILE, n // TILE), (TILE, TILE)](n, a, b, out), check

    return make


def make_sum_classic(random):
    n = 4096
    x = cuda.to_device(random.random(n, dtype=numpy.float32))
    sums = cuda.to_device(numpy.full(n // BLOCK, numpy.nan, numpy.float32))
    out = cuda.to_device(numpy.full(1, numpy.nan, numpy.float32))

    def run():
        sum_classic[n // BLOCK, BLOCK](n, x, sums)
        sum_classic[1, BLOCK](n // BLOCK, sums, out)

    def check():
        want = x.copy_to_host().astype(float).sum()
        return bool(abs(out.copy_to_host()[0] - want) <= 1e-5 * want)

    return n, run, check


def make_barriers(random):
    n = 512
    x = cuda.to_device(random.integers(0, 1 << 20, n, dtype=numpy.int32))
    out = cuda.to_device(numpy.full(n, -1, numpy.int32))

    def check():
        blocks = x.copy_to_host().reshape(-1, BLOCK)
        want = numpy.roll(blocks, -BARRIER_STEPS, axis=1) + BARRIER_STEPS
        return numpy.array_equal(out.copy_to_host(), want.reshape(-1))

    return n, lambda: barriers[n // BLOCK, BLOCK](x, out), check


CASES = {
    "vector_add": make_vector_add,
    "mandelbrot": make_mandelbrot,
    "matrix_product": make_product(matrix_product),
    "sum_classic": make_sum_classic,
    "matrix_product_tiled": make_product(matrix_product_tiled),
    "barriers": make_barriers,
}


def timed(run):
    begin = time.perf_counter()
    run()
    cuda.synchronize()
    return 1e3 * (time.perf_counter() - begin)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--case", choices=CASES)
    parser.add_argument("--samples", type=int, default=3)
    parser.add_argument("--budget-ms", type=float, default=500)
    arguments = parser.parse_args()
    if arguments.list:
        print("\n".join(CASES))
        return 0
    if not arguments.case:
        parser.error("--case or --list")
    n, run, check = CASES[arguments.case](numpy.random.default_rng(5))
    first_ms = timed(run)
    samples = []
    while len(samples) < arguments.samples and (not samples or sum(samples) < arguments.budget_ms):
        samples.append(timed(run))
    right = bool(check())
    print(json.dumps({
        "side": "numba_simulator", "case": arguments.case, "n": n,
        "device": f"numba {numba.__version__}, CUDA simulator",
        "compiler": f"none, Python {sys.version.split()[0]}",
        "first_ms": first_ms, "samples_ms": samples, "right": right,
    }))
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
