#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""PyCUDA at the tutorial's jobs: the system that the tutorial uses, beside our kernels.

  peer_pycuda.py ops        x + x and x**2 * x on the device, at two sizes
  peer_pycuda.py first      from process start to the first checked result of x + x
  peer_pycuda.py transfer   a NumPy array to the device and back

Prints one JSON object of the same form as peer_cupy.py's. Needs python3 with numpy and
pycuda, nvcc while it runs, and a GPU; exits with 3 and a sentence where one is missing.
As in the tutorial: autoinit, and no memory pool. Run by compare_cupy.py.
"""

import argparse
import json
import os
import shutil
import sys
import time

MAIN_NS = time.monotonic_ns()

from peer_cupy import MISSING, normals, positive, statistics  # noqa: E402


def import_pycuda():
    try:
        import numpy
        import pycuda
        import pycuda.driver
        import pycuda.gpuarray
    except ImportError as error:
        print(f"peer_pycuda.py: {error}: it needs numpy and PyCUDA", file=sys.stderr)
        sys.exit(MISSING)
    if shutil.which("nvcc") is None:
        print("peer_pycuda.py: nvcc is not on PATH: PyCUDA compiles while it runs",
              file=sys.stderr)
        sys.exit(MISSING)
    return numpy, pycuda


def make_context(pycuda):
    try:
        pycuda.driver.init()
        if pycuda.driver.Device.count() < 1:
            raise RuntimeError("no GPU")
        import pycuda.autoinit  # noqa: F401
    except Exception as error:  # PyCUDA's own error types differ between versions
        print(f"peer_pycuda.py: no usable GPU: {error}", file=sys.stderr)
        sys.exit(MISSING)


# ---- ops ---------------------------------------------------------------------


def time_events(pycuda, work, repeat, batch):
    """Device time of one call in ms, by events round `batch` calls in a row."""
    for _ in range(3):
        work()
    pycuda.driver.Context.synchronize()
    samples = []
    for _ in range(repeat):
        begin, end = pycuda.driver.Event(), pycuda.driver.Event()
        work()  # keeps the device busy while the event is queued
        begin.record()
        for _ in range(batch):
            work()
        end.record()
        end.synchronize()
        samples.append(begin.time_till(end) / batch)
    return statistics(samples)


def run_ops(arguments):
    numpy, pycuda = import_pycuda()
    make_context(pycuda)
    result = {"program": "peer_pycuda ops", "pycuda": pycuda.VERSION_TEXT, "sizes": []}
    for cols in (arguments.cols, max(1, arguments.cols // 10)):
        x = normals(numpy, (arguments.rows, cols), 42)
        d_x = pycuda.gpuarray.to_gpu(x)
        jobs = {
            "add_same": (lambda: d_x + d_x, lambda: x + x),
            "cube": (lambda: d_x**2 * d_x, lambda: x**2 * x),
        }
        operations = []
        for name, (work, reference) in jobs.items():
            stats = time_events(pycuda, work, arguments.repeat, arguments.batch)
            got, want = work().get(), reference()
            # Written so that NaN fails. 16 ULP: the square is powf's, which may be 4 ULP off
            # and is then multiplied.
            right = bool((numpy.abs(got - want) <= 2.0**-19 * numpy.abs(want)).all())
            operations.append({"operation": name, "time": stats, "right": right})
        result["sizes"].append({"rows": arguments.rows, "cols": cols, "operations": operations})
        del d_x, jobs, got, want
    return result


# ---- first -------------------------------------------------------------------


def run_first(arguments):
    given = os.environ.get("LAB_BENCH_START_NS")
    start_ns = int(given) if given else MAIN_NS
    numpy, pycuda = import_pycuda()
    imported_ns = time.monotonic_ns()
    x = normals(numpy, (arguments.n,), 42)
    inputs_ns = time.monotonic_ns()
    make_context(pycuda)
    context_ns = time.monotonic_ns()
    d_x = pycuda.gpuarray.to_gpu(x)
    right = bool(((d_x + d_x).get() == x + x).all())
    checked_ns = time.monotonic_ns()
    return {
        "program": "peer_pycuda first",
        "n": arguments.n,
        "right": right,
        "since": "process start" if given else "main",
        "to_main_ms": (MAIN_NS - start_ns) / 1e6,
        "import_ms": (imported_ns - MAIN_NS) / 1e6,
        "inputs_ms": (inputs_ns - imported_ns) / 1e6,
        "context_ms": (context_ns - inputs_ns) / 1e6,
        "first_call_ms": (checked_ns - context_ns) / 1e6,
        "first_result_ms": (checked_ns - start_ns) / 1e6,
    }


# ---- transfer ----------------------------------------------------------------


def run_transfer(arguments):
    numpy, pycuda = import_pycuda()
    make_context(pycuda)
    result = {"program": "peer_pycuda transfer", "sizes": []}
    for n in (arguments.n, max(1, arguments.n // 10)):
        source = normals(numpy, (n,), 42)
        to_device, to_host, right = [], [], True
        for repeat in range(-1, arguments.repeat):  # the first round is a warm-up
            fresh = source.copy()
            pycuda.driver.Context.synchronize()
            begin = time.perf_counter()
            d_x = pycuda.gpuarray.to_gpu(fresh)
            pycuda.driver.Context.synchronize()
            middle = time.perf_counter()
            back = d_x.get()  # into a fresh array
            end = time.perf_counter()
            right = right and bool((back == source).all())
            if repeat >= 0:
                to_device.append((middle - begin) * 1e3)
                to_host.append((end - middle) * 1e3)
            del fresh, d_x, back
        ways = []
        for way, samples in (("h2d", to_device), ("d2h", to_host)):
            stats = statistics(samples)
            ways.append({"way": way, "time": stats, "gbps": 4 * n / stats["median_ms"] / 1e6})
        result["sizes"].append({"n": n, "right": right, "ways": ways})
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    commands = parser.add_subparsers(dest="command", required=True)
    ops = commands.add_parser("ops", help="x + x and x**2 * x on the device")
    ops.add_argument("--rows", type=positive, default=12000)
    ops.add_argument("--cols", type=positive, default=19200)
    ops.add_argument("--repeat", type=positive, default=30)
    ops.add_argument("--batch", type=positive, default=5)
    ops.set_defaults(run=run_ops)
    first = commands.add_parser("first", help="process start to first checked result")
    first.add_argument("n", type=positive, nargs="?", default=1000000)
    first.set_defaults(run=run_first)
    transfer = commands.add_parser("transfer", help="a NumPy array to the device and back")
    transfer.add_argument("--n", type=positive, default=230400000)
    transfer.add_argument("--repeat", type=positive, default=5)
    transfer.set_defaults(run=run_transfer)
    arguments = parser.parse_args()
    print(json.dumps(arguments.run(arguments)))


if __name__ == "__main__":
    main()
