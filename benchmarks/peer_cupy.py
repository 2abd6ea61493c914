#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""CuPy at the tutorial's jobs: the peer that our kernels are compared with.

  peer_cupy.py ops        x + x and x**2 * x on the device, at two sizes
  peer_cupy.py first      from process start to the first checked result of x + x
  peer_cupy.py transfer   a NumPy array to the device and back

Prints one JSON object. Needs python3 with numpy and cupy, and a GPU; exits with
3 and a sentence where one is missing. Run by compare_cupy.py, which sets
LAB_BENCH_START_NS (CLOCK_MONOTONIC, ns) to the moment it started the process.
"""

import argparse
import json
import os
import sys
import time

MAIN_NS = time.monotonic_ns()
MISSING = 3


def import_cupy():
    try:
        import numpy
        import cupy
    except ImportError as error:
        print(f"peer_cupy.py: {error}: it needs numpy and CuPy", file=sys.stderr)
        sys.exit(MISSING)
    try:
        if cupy.cuda.runtime.getDeviceCount() < 1:
            raise RuntimeError("no GPU")
    except Exception as error:  # CuPy's own error types differ between versions
        print(f"peer_cupy.py: no usable GPU: {error}", file=sys.stderr)
        sys.exit(MISSING)
    return numpy, cupy


def statistics(samples_ms):
    """The same figures as the kit's timer: median, and (p90 - p10) / median."""
    ordered = sorted(samples_ms)
    count = len(ordered)

    def at(fraction):
        place = fraction * (count - 1)
        low = int(place)
        high = min(low + 1, count - 1)
        return ordered[low] + (place - low) * (ordered[high] - ordered[low])

    median = at(0.5)
    return {
        "median_ms": median,
        "min_ms": ordered[0],
        "max_ms": ordered[-1],
        "spread": (at(0.9) - at(0.1)) / median if median > 0 else None,
        "repeats": count,
    }


def normals(numpy, shape, seed):
    return numpy.random.default_rng(seed).standard_normal(shape, dtype=numpy.float32)


# ---- ops ---------------------------------------------------------------------


def time_events(cupy, work, repeat, batch):
    """Device time of one call in ms, by events round `batch` calls in a row.

    Several in a row, so that the device does not wait for Python between the
    event and the kernel: that would count against CuPy.
    """
    for _ in range(3):
        work()
    cupy.cuda.Device().synchronize()
    samples = []
    for _ in range(repeat):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        work()  # keeps the device busy while the event is queued
        begin.record()
        for _ in range(batch):
            work()
        end.record()
        end.synchronize()
        samples.append(cupy.cuda.get_elapsed_time(begin, end) / batch)
    return statistics(samples)


def run_ops(arguments):
    numpy, cupy = import_cupy()
    result = {"program": "peer_cupy ops", "cupy": cupy.__version__, "sizes": []}
    for cols in (arguments.cols, max(1, arguments.cols // 10)):
        x = normals(numpy, (arguments.rows, cols), 42)
        d_x = cupy.asarray(x)
        d_copy = cupy.empty_like(d_x)
        jobs = {
            "add_same": (lambda: d_x + d_x, lambda: x + x),
            "cube": (lambda: d_x**2 * d_x, lambda: x**2 * x),
        }
        operations = []
        for name, (work, reference) in jobs.items():
            stats = time_events(cupy, work, arguments.repeat, arguments.batch)
            got = cupy.asnumpy(work())
            want = reference()
            # Written so that NaN fails. 4 ULP: powers may be rounded more than once.
            right = bool((numpy.abs(got - want) <= 2.0**-21 * numpy.abs(want)).all())
            operations.append({"operation": name, "time": stats, "right": right})
        copy = time_events(
            cupy, lambda: cupy.copyto(d_copy, d_x), arguments.repeat, arguments.batch
        )
        operations.append({"operation": "copy", "time": copy, "right": True})
        result["sizes"].append({"rows": arguments.rows, "cols": cols, "operations": operations})
        del d_x, d_copy, jobs, got, want
        cupy.get_default_memory_pool().free_all_blocks()
    return result


# ---- first -------------------------------------------------------------------


def run_first(arguments):
    numpy, cupy = import_cupy()
    imported_ns = time.monotonic_ns()
    x = normals(numpy, (arguments.n,), 42)
    inputs_ns = time.monotonic_ns()
    cupy.cuda.runtime.free(0)  # makes the context
    context_ns = time.monotonic_ns()
    got = cupy.asnumpy((lambda d_x: d_x + d_x)(cupy.asarray(x)))
    right = bool((got == x + x).all())
    checked_ns = time.monotonic_ns()
    return first_times("peer_cupy first", arguments.n, right, MAIN_NS, imported_ns, inputs_ns,
                       context_ns, checked_ns)


def first_times(program, n, right, main_ns, imported_ns, inputs_ns, context_ns, checked_ns):
    """What `first` prints: the moments, as spans in ms, from the start of the process on."""
    given = os.environ.get("LAB_BENCH_START_NS")
    start_ns = int(given) if given else main_ns
    return {
        "program": program,
        "n": n,
        "right": right,
        "since": "process start" if given else "main",
        "to_main_ms": (main_ns - start_ns) / 1e6,
        "import_ms": (imported_ns - main_ns) / 1e6,
        "inputs_ms": (inputs_ns - imported_ns) / 1e6,
        "context_ms": (context_ns - inputs_ns) / 1e6,
        "first_call_ms": (checked_ns - context_ns) / 1e6,
        "first_result_ms": (checked_ns - start_ns) / 1e6,
    }


# ---- transfer ----------------------------------------------------------------


def run_transfer(arguments):
    numpy, cupy = import_cupy()
    return time_transfers("peer_cupy transfer", numpy, arguments, cupy.asarray, cupy.asnumpy,
                          cupy.cuda.Device().synchronize)


def time_transfers(program, numpy, arguments, to_gpu, to_array, synchronize):
    """Times to_gpu of a fresh NumPy array, and to_array of what it returned, at two sizes."""
    result = {"program": program, "sizes": []}
    for n in (arguments.n, max(1, arguments.n // 10)):
        source = normals(numpy, (n,), 42)
        to_device, to_host, right = [], [], True
        for repeat in range(-1, arguments.repeat):  # the first round is a warm-up
            fresh = source.copy()
            synchronize()
            begin = time.perf_counter()
            d_x = to_gpu(fresh)
            synchronize()
            middle = time.perf_counter()
            back = to_array(d_x)  # into a fresh array
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


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def main(description, run_ops, run_first, run_transfer):
    """The command line of a peer: one of three jobs, its result as JSON."""
    parser = argparse.ArgumentParser(description=description.split("\n", 1)[0])
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
    main(__doc__, run_ops, run_first, run_transfer)
