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

import shutil
import sys
import time

MAIN_NS = time.monotonic_ns()

from peer_cupy import MISSING, first_times, main, normals, statistics, time_transfers  # noqa: E402


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
    numpy, pycuda = import_pycuda()
    imported_ns = time.monotonic_ns()
    x = normals(numpy, (arguments.n,), 42)
    inputs_ns = time.monotonic_ns()
    make_context(pycuda)
    context_ns = time.monotonic_ns()
    d_x = pycuda.gpuarray.to_gpu(x)
    right = bool(((d_x + d_x).get() == x + x).all())
    checked_ns = time.monotonic_ns()
    return first_times("peer_pycuda first", arguments.n, right, MAIN_NS, imported_ns, inputs_ns,
                       context_ns, checked_ns)


# ---- transfer ----------------------------------------------------------------


def run_transfer(arguments):
    numpy, pycuda = import_pycuda()
    make_context(pycuda)
    return time_transfers("peer_pycuda transfer", numpy, arguments, pycuda.gpuarray.to_gpu,
                          lambda d_x: d_x.get(), pycuda.driver.Context.synchronize)


if __name__ == "__main__":
    main(__doc__, run_ops, run_first, run_transfer)
