#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ours against CuPy and PyCUDA, in one go on one GPU: runs all sides and prints ratios.

  compare_cupy.py [--bin DIR] [--json FILE]

DIR holds elementwise_bench, context_only, first_result and transfer_bench, built for the GPU
(default: bazel-bin/benchmarks). --python names the python3 that has CuPy, --pycuda-python
the one that has PyCUDA, if that is another. Goals are for CuPy; without PyCUDA its part is
left out, and the output says why.
Exit status 1 if a result is wrong or a goal is missed, 3 if a side cannot run.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
CANNOT_RUN = 3


def fail(message):
    print(f"compare_cupy.py: {message}", file=sys.stderr)
    sys.exit(CANNOT_RUN)


def run(command, environment=None):
    """Runs one side; returns its standard output. Its moment of start is in its environment."""
    env = dict(os.environ if environment is None else environment)
    env["LAB_BENCH_START_NS"] = str(time.monotonic_ns())
    try:
        done = subprocess.run(command, env=env, stdout=subprocess.PIPE, universal_newlines=True)
    except OSError as error:
        fail(f"cannot run {command[0]}: {error.strerror}")
    if done.returncode != 0:
        sys.stdout.write(done.stdout)
        fail(f"{' '.join(command)} ended with status {done.returncode}")
    return done.stdout


class LeftOut(Exception):
    """A peer that is not needed cannot run here."""


class Broke(Exception):
    """It could have run, and failed."""


class Sides:
    """The sides' commands."""

    def __init__(self, arguments, scratch):
        self.bin = arguments.bin
        self.python = arguments.python
        self.pycuda_python = arguments.pycuda_python or arguments.python
        self.scratch = scratch
        self.repeat = ["--repeat", str(arguments.repeat)] if arguments.repeat else []

    def ours(self, program, *options):
        """A program of ours that writes its record to --json FILE; returns the record."""
        path = os.path.join(self.scratch, f"{program}.json")
        run([os.path.join(self.bin, program), "--json", path, *options, *self.repeat])
        with open(path, encoding="utf-8") as record:
            return json.load(record)

    def ours_first(self, n):
        return json.loads(run([os.path.join(self.bin, "first_result"), str(n)]))

    def context_only(self):
        return json.loads(run([os.path.join(self.bin, "context_only")]))

    def cupy(self, *words, environment=None):
        command = [self.python, os.path.join(HERE, "peer_cupy.py"), *words]
        return json.loads(run(command, environment))

    def pycuda(self, *words, environment=None):
        """Raises LeftOut where PyCUDA, nvcc or a GPU for it is missing, Broke where it fails."""
        command = [self.pycuda_python, os.path.join(HERE, "peer_pycuda.py"), *words]
        env = dict(os.environ if environment is None else environment)
        env["LAB_BENCH_START_NS"] = str(time.monotonic_ns())
        try:
            done = subprocess.run(command, env=env, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True)
        except OSError as error:
            raise LeftOut(f"cannot run {command[0]}: {error.strerror}")
        if done.returncode == CANNOT_RUN:
            raise LeftOut(" ".join(done.stderr.split()) or "it gave no reason")
        if done.returncode != 0:
            sys.stderr.write(done.stderr)
            raise Broke(f"{' '.join(command)} ended with status {done.returncode}")
        return json.loads(done.stdout)


def by_name(rows, key):
    return {row[key]: row for row in rows}


class Report:
    """Lines of figures, and goals met or missed."""

    def __init__(self):
        self.lines = []
        self.ok = True

    def wrong(self, what):
        print(f"  WRONG RESULT: {what}")
        self.ok = False

    def ratio(self, what, theirs, ours, unit, goal=None, peer="CuPy"):
        """How many times as fast: theirs / ours, both times."""
        times = theirs / ours
        line = f"  {what:<34} {peer} {theirs:9.3f} {unit}   ours {ours:9.3f} {unit}   {times:6.2f} x"
        met = None
        if goal is not None:
            met = times >= goal
            line += f"   goal {goal:g} x: {'met' if met else 'MISSED'}"
            self.ok = self.ok and met
        print(line)
        self.lines.append(
            {"what": what, peer.lower(): theirs, "ours": ours, "unit": unit, "times": times,
             "goal": goal, "met": met}
        )

    def figure(self, what, value, unit, goal=None, at_most=False):
        line = f"  {what:<34} {value:9.2f} {unit}"
        met = None
        if goal is not None:
            met = value <= goal if at_most else value >= goal
            line += f"   goal {'at most ' if at_most else ''}{goal:g}: {'met' if met else 'MISSED'}"
            self.ok = self.ok and met
        print(line)
        self.lines.append({"what": what, "value": value, "unit": unit, "goal": goal, "met": met})


def compare_ops(sides, report, arguments):
    size = ["--rows", str(arguments.rows), "--cols", str(arguments.cols)]
    small = ["--rows", str(arguments.rows), "--cols", str(max(1, arguments.cols // 10))]
    ours = [sides.ours("elementwise_bench", *size), sides.ours("elementwise_bench", *small)]
    if ours[0]["device"]["kind"] != "gpu" and not arguments.rehearse:
        fail("our programs are built for the CPU device, whose times say nothing about a GPU")
    peer = sides.cupy("ops", *size, *sides.repeat)
    for index, cupy_size in enumerate(peer["sizes"]):
        ours_size = ours[index]["sizes"][0]
        if ours_size["cols"] != cupy_size["cols"]:
            fail("the two sides measured different sizes")
        print(f"\n{cupy_size['rows']} x {cupy_size['cols']} float32, median device time")
        left = by_name(ours_size["operations"], "operation")
        right = by_name(cupy_size["operations"], "operation")
        for name, row in left.items():
            if not row["right"]:
                report.wrong(f"ours, {name}")
        for name, row in right.items():
            if not row["right"]:
                report.wrong(f"CuPy, {name}")

        def median(rows, name):
            return rows[name]["time"]["median_ms"]

        large = index == 0
        report.ratio("x + x", median(right, "add_same"), median(left, "add_same"), "ms",
                     2.4 if large else None)
        report.ratio("x**2 * x, ours fused", median(right, "cube"), median(left, "cube_fused"),
                     "ms", 5.0 if large else None)
        report.ratio("x**2 * x, ours in two steps", median(right, "cube"),
                     median(left, "cube_two_step"), "ms")
        for name, label in (("add", "x + y"), ("multiply", "x * y"), ("cube_fused", "x**2 * x"),
                            ("pow_int_5", "x**5")):
            report.figure(f"{label}, share of the copy rate", left[name]["percent_of_copy"], "%",
                          97.0)
    return {"ours": ours, "cupy": peer}


def compare_first(sides, report, arguments):
    """Fresh processes, taking turns. CuPy's kernel cache is filled by a first run."""
    n = str(arguments.first_n)
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, CUPY_CACHE_DIR=cache)
        empty_cache = sides.cupy("first", n, environment=environment)
        ours, cupy, bare = [], [], []
        for _ in range(arguments.runs):
            bare.append(sides.context_only())
            ours.append(sides.ours_first(arguments.first_n))
            cupy.append(sides.cupy("first", n, environment=environment))
    if not (empty_cache["right"] and all(row["right"] for row in cupy)):
        report.wrong("CuPy, first result")

    def median(rows, key):
        return statistics.median(row[key] for row in rows)

    print(f"\nProcess start to first checked result of x + x, {n} elements, median of {len(ours)}")
    report.ratio("all, CuPy's kernel cache filled", median(cupy, "first_result_ms"),
                 median(ours, "first_result_ms"), "ms", 2.0)
    report.ratio("all, CuPy's kernel cache empty", empty_cache["first_result_ms"],
                 median(ours, "first_result_ms"), "ms")
    report.ratio("of that, the context", median(cupy, "context_ms"), median(ours, "context_ms"),
                 "ms")
    report.ratio("of that, copies, x + x, check", median(cupy, "first_call_ms"),
                 median(ours, "first_call_ms"), "ms")
    report.figure("all, less a program with a context only",
                  median(ours, "first_result_ms") - median(bare, "context_ms"), "ms", 10.0,
                  at_most=True)
    return {"ours": ours, "cupy": cupy, "cupy_empty_cache": empty_cache, "context_only": bare}


def compare_transfer(sides, report, arguments):
    n = arguments.rows * arguments.cols
    ours = [sides.ours("transfer_bench", "--n", str(size)) for size in (n, max(1, n // 10))]
    peer = sides.cupy("transfer", "--n", str(n), *sides.repeat)
    for index, cupy_size in enumerate(peer["sizes"]):
        ours_size = ours[index]["sizes"][0]
        print(f"\nTransfer of {cupy_size['n']} float32")
        if not cupy_size["right"]:
            report.wrong("CuPy, transfer")
        left = by_name(ours_size["ways"], "way")
        right = by_name(cupy_size["ways"], "way")
        report.ratio("fresh array to the device", right["h2d"]["time"]["median_ms"],
                     left["h2d_staged"]["time"]["median_ms"], "ms")
        report.ratio("back to a fresh array", right["d2h"]["time"]["median_ms"],
                     left["d2h_staged"]["time"]["median_ms"], "ms")
        report.figure("to_gpu against cudaMemcpy, pageable",
                      left["h2d_staged"].get("times_cudamemcpy", 0.0), "x",
                      3.0 if index == 0 else None)
        report.figure("get against cudaMemcpy, pageable",
                      left["d2h_staged"].get("times_cudamemcpy", 0.0), "x")
        for label, way in (("to_gpu", "h2d_staged_touched"), ("get", "d2h_staged_touched")):
            report.figure(f"{label}, array used just before, of pinned",
                          left[way].get("percent_of_pinned", 0.0), "%",
                          90.0 if index == 0 else None)
    return {"ours": ours, "cupy": peer}


# ---- PyCUDA, where it is installed -------------------------------------------


def pycuda_ops(sides, report, arguments, ours):
    size = ["--rows", str(arguments.rows), "--cols", str(arguments.cols)]
    peer = sides.pycuda("ops", *size, *sides.repeat)
    for index, theirs in enumerate(peer["sizes"]):
        ours_size = ours[index]["sizes"][0]
        if ours_size["cols"] != theirs["cols"]:
            fail("PyCUDA and we measured different sizes")
        print(f"\nPyCUDA, {theirs['rows']} x {theirs['cols']} float32, median device time")
        left = by_name(ours_size["operations"], "operation")
        right = by_name(theirs["operations"], "operation")
        for name, row in right.items():
            if not row["right"]:
                report.wrong(f"PyCUDA, {name}")
        for label, name, our_name in (("x + x", "add_same", "add_same"),
                                      ("x**2 * x, ours fused", "cube", "cube_fused"),
                                      ("x**2 * x, ours in two steps", "cube", "cube_two_step")):
            report.ratio(label, right[name]["time"]["median_ms"],
                         left[our_name]["time"]["median_ms"], "ms", peer="PyCUDA")
    return peer


def pycuda_first(sides, report, arguments, ours):
    """Fresh processes. PyCUDA keeps compiled kernels in the user's cache folder."""
    n = str(arguments.first_n)
    with tempfile.TemporaryDirectory() as cache:
        environment = dict(os.environ, XDG_CACHE_HOME=cache)
        empty_cache = sides.pycuda("first", n, environment=environment)
        cache_used = bool(os.listdir(cache))
        filled = [sides.pycuda("first", n, environment=environment)
                  for _ in range(arguments.runs)]
    if not (empty_cache["right"] and all(row["right"] for row in filled)):
        report.wrong("PyCUDA, first result")

    def median(rows):
        return statistics.median(row["first_result_ms"] for row in rows)

    print(f"\nPyCUDA, process start to first checked result of x + x, {n} elements")
    report.ratio("all, compiled kernels on disk", median(filled), median(ours), "ms",
                 peer="PyCUDA")
    if cache_used:
        report.ratio("all, nothing compiled yet", empty_cache["first_result_ms"], median(ours),
                     "ms", peer="PyCUDA")
    else:
        print("  nothing compiled yet: left out, PyCUDA kept its kernels elsewhere")
    return {"filled": filled, "empty_cache": empty_cache, "cache_used": cache_used}


def pycuda_transfer(sides, report, arguments, ours):
    peer = sides.pycuda("transfer", "--n", str(arguments.rows * arguments.cols), *sides.repeat)
    for index, theirs in enumerate(peer["sizes"]):
        print(f"\nPyCUDA, transfer of {theirs['n']} float32")
        if not theirs["right"]:
            report.wrong("PyCUDA, transfer")
        left = by_name(ours[index]["sizes"][0]["ways"], "way")
        right = by_name(theirs["ways"], "way")
        for label, way in (("fresh array to the device", "h2d"), ("back to a fresh array", "d2h")):
            report.ratio(label, right[way]["time"]["median_ms"],
                         left[f"{way}_staged"]["time"]["median_ms"], "ms", peer="PyCUDA")
    return peer


def compare_pycuda(sides, report, arguments, figures):
    """Beside our figures of the same run. Left out, visibly, where it cannot run."""
    try:
        return {
            "ops": pycuda_ops(sides, report, arguments, figures["ops"]["ours"]),
            "first": pycuda_first(sides, report, arguments, figures["first"]["ours"]),
            "transfer": pycuda_transfer(sides, report, arguments, figures["transfer"]["ours"]),
        }
    except LeftOut as reason:
        print(f"\nPyCUDA: left out: {reason}")
        return {"without": str(reason)}
    except Broke as reason:  # CuPy's figures are kept
        print(f"\nPyCUDA: FAILED: {reason}")
        report.ok = False
        return {"without": str(reason)}


def positive(text):
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a positive number")
    return value


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", default=os.path.join(HERE, "..", "bazel-bin", "benchmarks"),
                        help="folder with our programs, built for the GPU")
    parser.add_argument("--python", default="python3", help="the python3 that has CuPy")
    parser.add_argument("--pycuda-python", help="the python3 that has PyCUDA (default: --python)")
    parser.add_argument("--rows", type=positive, default=12000)
    parser.add_argument("--cols", type=positive, default=19200)
    parser.add_argument("--first-n", type=positive, default=1000000,
                        help="elements of the first result")
    parser.add_argument("--runs", type=positive, default=7, help="fresh processes a side")
    parser.add_argument("--repeat", type=positive, help="samples of each time, on both sides")
    parser.add_argument("--rehearse", action="store_true",
                        help="accept programs built for the CPU device, to try this script")
    parser.add_argument("--json", metavar="FILE", help="keep all figures of both sides")
    arguments = parser.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as scratch:
        sides = Sides(arguments, scratch)
        figures = {
            "program": "compare_cupy",
            "ops": compare_ops(sides, report, arguments),
            "first": compare_first(sides, report, arguments),
            "transfer": compare_transfer(sides, report, arguments),
        }
        figures["pycuda"] = compare_pycuda(sides, report, arguments, figures)
    figures["ratios"] = report.lines
    figures["ok"] = report.ok
    if arguments.json:
        partial = f"{arguments.json}.partial"
        with open(partial, "w", encoding="utf-8") as out:
            json.dump(figures, out, indent=1)
            out.write("\n")
        os.replace(partial, arguments.json)
    print("\nOK" if report.ok else "\nNot all goals were met.")
    return 0 if report.ok else 1


if __name__ == "__main__":
    sys.exit(main())
