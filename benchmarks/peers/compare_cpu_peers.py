#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The CPU device beside what a user would pick instead, in one run on the same cores.

  compare_cpu_peers.py --bin DIR [--native-bin DIR] [--json FILE]

DIR holds cuda_side, plain_side and, where OpenCL is installed, opencl_side; run_cpu_peers.sh
builds them. Sides take turns, a fresh process each time; the samples of all rounds make the
median and the spread, (90th - 10th percentile) / median. Every process checks its result.
Exit status 1 if a result of ours is wrong or a goal is missed, 3 if our side cannot run.
"""

import argparse
import datetime
import json
import os
import platform
import signal
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
CANNOT_RUN = 3
LACKS_CASE = 4
BARRIERS_OF_A_THREAD = 65  # of the case "barriers": 64 steps, and one before
ONE_CORE_TOO = ("barriers",)  # beside the cases without barriers


def fail(message):
    print(f"compare_cpu_peers.py: {message}", file=sys.stderr)
    sys.exit(CANNOT_RUN)


def output_of(command, default="unknown"):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              universal_newlines=True, cwd=HERE)
    except OSError:
        return default
    return done.stdout.strip() if done.returncode == 0 else default


class Side:
    """One side: how it is started, and the rows that it gave, by case."""

    def __init__(self, key, title, command, environment=None):
        self.key = key
        self.title = title
        self.command = command
        self.environment = dict(os.environ, **(environment or {}))
        self.rows = {}
        self.troubles = {}  # case: why there is no row
        self.about = {}

    def run(self, case, *options, timeout=120):
        """One process; its samples join those of earlier rounds."""
        if case in self.troubles:
            return
        command = [*self.command, "--case", case, *options]
        try:
            done = subprocess.run(command, env=self.environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, universal_newlines=True,
                                  timeout=timeout)
        except subprocess.TimeoutExpired:
            self.troubles[case] = f"not done after {timeout} s"
            return
        except OSError as error:
            fail(f"cannot run {command[0]}: {error.strerror}")
        if done.returncode == LACKS_CASE:
            self.troubles[case] = "lacks it: " + done.stdout.strip()
        elif done.returncode < 0:
            self.troubles[case] = "crashes: " + signal.Signals(-done.returncode).name
        elif done.returncode != 0:
            self.troubles[case] = "fails: " + (done.stderr.strip().splitlines() or ["?"])[-1]
        if done.returncode != 0:
            self.rows.pop(case, None)
            return
        row = json.loads(done.stdout)
        self.about = {key: row[key] for key in ("device", "compiler") if key in row}
        kept = self.rows.setdefault(case, row)  # first_ms and build_ms: of the first round
        if kept is not row:
            kept["samples_ms"] += row["samples_ms"]
            if "peak_bytes" in row:
                kept["peak_bytes"] = max(kept["peak_bytes"], row["peak_bytes"])

    def finish(self):
        for row in self.rows.values():
            ordered = sorted(row["samples_ms"])
            row["median_ms"] = statistics.median(ordered)
            tenths = (statistics.quantiles(ordered, n=10, method="inclusive")
                      if len(ordered) > 1 else [ordered[0]] * 9)
            row["spread"] = (tenths[8] - tenths[0]) / row["median_ms"]

    def median(self, case):
        return self.rows[case]["median_ms"] if case in self.rows else None

    def cell(self, case):
        row = self.rows.get(case)
        return f"{row['median_ms']:9.2f} {100 * row['spread']:3.0f}%" if row else f"{'-':>14}"

    def record(self):
        return {"title": self.title, **self.about, "cases": self.rows, "without": self.troubles}


class Report:
    """Prints figures beside their goals, and keeps them."""

    def __init__(self):
        self.lines = []

    def goal(self, what, value, unit, limit, at_least=False):
        """A figure that is to be at most, or at least, the limit."""
        met = None
        if value is not None:
            met = value >= limit if at_least else value <= limit
        shown = "not measured" if value is None else f"{value:8.2f} {unit}"
        verdict = {True: "met", False: "MISSED", None: ""}[met]
        sign = ">=" if at_least else "<="
        print(f"  {what:<62} {shown:>16}   goal {sign} {limit:g}   {verdict}")
        self.lines.append({"what": what, "value": value, "unit": unit, "limit": limit,
                           "at_least": at_least, "met": met})


def ratio(above, below):
    return above / below if above is not None and below is not None else None


def load_cases(plain):
    listing = subprocess.run([plain, "--list"], stdout=subprocess.PIPE, universal_newlines=True,
                             check=True).stdout
    cases = []
    for line in listing.splitlines():
        name, barriers, n, small_n, about = line.split("\t")
        cases.append({"name": name, "barriers": barriers == "1", "n": int(n),
                      "small_n": int(small_n), "about": about})
    return cases


def make_sides(arguments, scratch):
    cores = str(arguments.cores)
    ours = os.path.join(arguments.bin, "cuda_side")
    if not os.path.exists(ours):
        fail(f"{ours} does not exist: run run_cpu_peers.sh")
    sides = {
        "plain": Side("plain", "plain C loop, -O2, one core",
                      [os.path.join(arguments.bin, "plain_side")]),
        "one": Side("one", "CPU device, one core", [ours], {"LAB_CPU_DEVICE_THREADS": "1"}),
        "ours": Side("ours", f"CPU device, {cores} cores", [ours],
                     {"LAB_CPU_DEVICE_THREADS": cores}),
    }
    if arguments.native_bin:
        sides["native"] = Side("native", f"CPU device, {cores} cores, -march=native",
                               [os.path.join(arguments.native_bin, "cuda_side")],
                               {"LAB_CPU_DEVICE_THREADS": cores})
    opencl = os.path.join(arguments.bin, "opencl_side")
    if os.path.exists(opencl):
        sides["pocl"] = Side("pocl", f"PoCL, {cores} cores", [opencl], {
            "LAB_PEER_KERNELS": HERE,
            "POCL_CACHE_DIR": os.path.join(scratch, "pocl"),  # empty: the first build is timed
            "POCL_MAX_PTHREAD_COUNT": cores,
        })
    return sides


def find_numba():
    for python in ("python3", "/usr/bin/python3"):
        if output_of([python, "-c", "import numba"], None) is not None:
            return python
    return None


def measure(sides, cases, arguments):
    for case in cases:
        name = case["name"]
        for _ in range(arguments.rounds):
            for side in sides.values():
                if side.key == "plain" and case["barriers"]:
                    continue
                if side.key == "one" and case["barriers"] and name not in ONE_CORE_TOO:
                    continue
                side.run(name, "--samples", str(arguments.samples), "--budget-ms", "250")
        print(f"  {name}", file=sys.stderr)
    for side in sides.values():
        side.finish()


def measure_simulator(sides, arguments):
    """Numba's simulator and our side at the small sizes; None if it is not there."""
    python = find_numba()
    if python is None:
        return None
    simulator = Side("numba", "numba's simulator", [python, os.path.join(HERE, "numba_side.py")])
    small = Side("small", "CPU device, the same sizes", sides["ours"].command)
    small.environment = sides["ours"].environment
    for name in subprocess.run([*simulator.command, "--list"], stdout=subprocess.PIPE,
                               universal_newlines=True, check=True).stdout.split():
        simulator.run(name, "--samples", "3")
        small.run(name, "--small", "--samples", "50")
        print(f"  {name}, small", file=sys.stderr)
    simulator.finish()
    small.finish()
    return simulator, small


def print_head(sides, head):
    print(f"{head['date']}, commit {head['commit']}, {head['processor']}, {head['cores']} of "
          f"{head['processor_cores']} cores, {head['system']}, load {head['load_before']:.2f} "
          "before")
    for side in sides.values():
        print(f"  {side.title}: {'; '.join(side.about.values())}")


def print_table(sides, cases):
    """Milliseconds and spreads, and the two ratios that the goals are about."""
    shown = [key for key in ("plain", "one", "ours", "native", "pocl") if key in sides]
    titles = {"plain": "plain C, 1 core", "one": "device, 1 core", "ours": "device",
              "native": "device, native", "pocl": "PoCL"}
    print("\nMedian in ms, and spread")
    print(f"{'':<21}" + "".join(f"{titles[key]:>17}" for key in shown) +
          f"{'device/plain':>14}{'PoCL/device':>13}")
    for case in cases:
        name = case["name"]
        to_plain = ratio(sides["one"].median(name), sides["plain"].median(name))
        to_pocl = ratio(sides["pocl"].median(name), sides["ours"].median(name)) \
            if "pocl" in sides else None
        cells = "".join(f"{sides[key].cell(name):>17}" for key in shown)
        print(f"{name:<21}{cells}" +
              (f"{to_plain:>14.2f}" if to_plain else f"{'':>14}") +
              (f"{to_pocl:>13.2f}" if to_pocl else f"{'':>13}"))
    print("\nThe cases (b: with barriers or warp operations)")
    for case in cases:
        print(f"  {case['name']:<21}{'b' if case['barriers'] else ' '}  n = {case['n']:<10}"
              f"{case['about']}")
    for side in sides.values():
        for name, trouble in side.troubles.items():
            print(f"  {side.title}: {name} {trouble}")


def print_compile_times(sides, cases):
    """Our kernels are compiled with the program; PoCL's when it runs."""
    if "pocl" not in sides:
        return
    rows = sides["pocl"].rows
    first = next((rows[case["name"]] for case in cases if case["name"] in rows), None)
    if first is None:
        return
    extra = sum(row["first_ms"] - row["median_ms"] for row in rows.values())
    print("\nPoCL compiles while the program runs, in no figure above: the file "
          f"{first['build_ms']:.0f} ms, then each kernel at its first launch, {extra:.0f} ms for "
          "all cases; later runs find them in its cache.")


def judge(report, sides, cases):
    ours, one, plain = sides["ours"], sides["one"], sides["plain"]
    print("\nGoals")
    for case in cases:
        if not case["barriers"]:
            name = case["name"]
            report.goal(f"{name}, one core, against the plain loop",
                        ratio(one.median(name), plain.median(name)), "x", 1.5)
    barriers = one.median("barriers")
    count = next(case["n"] for case in cases if case["name"] == "barriers") * BARRIERS_OF_A_THREAD
    report.goal("a barrier of 256 threads, per thread, one core",
                barriers * 1e6 / count if barriers else None, "ns", 20)
    for name, limit in (("sum_classic", 500), ("sum_grid_stride", 500),
                        ("matrix_product_tiled", 1000), ("scan", 1000)):
        report.goal(name, ours.median(name), "ms", limit)
    report.goal("sum_shuffle against sum_classic",
                ratio(ours.median("sum_shuffle"), ours.median("sum_classic")), "x", 1.5)
    report.goal("1,024 threads with 16 KB of locals each give right results",
                1.0 if "locals" in ours.rows else 0.0, "", 1, at_least=True)
    beyond = [row["peak_bytes"] - row["array_bytes"] for row in ours.rows.values()]
    report.goal("memory beyond the program's arrays, the most of all cases",
                max(beyond) / 1e6 if beyond else None, "MB", 100)
    if "pocl" not in sides:
        return
    for case in cases:
        name = case["name"]
        if name in sides["pocl"].rows:
            report.goal(f"{name}: times as fast as PoCL",
                        ratio(sides["pocl"].median(name), ours.median(name)), "x",
                        0.5 if case["barriers"] else 1, at_least=True)


def print_simulator(pair):
    if pair is None:
        print("\nnumba's simulator: SKIPPED, no python3 has numba (Debian: python3-numba)")
        return
    simulator, small = pair
    print(f"\n{simulator.about.get('device', 'numba')}, beside the CPU device at the same small "
          "sizes: ms")
    for name, row in simulator.rows.items():
        other = small.median(name)
        print(f"  {name:<21} n = {row['n']:<6} {row['median_ms']:10.1f}   {other or 0:8.3f}   " +
              (f"{row['median_ms'] / other:,.0f} times as long" if other else "ours failed"))
    for name, trouble in simulator.troubles.items():
        print(f"  {name}: {trouble}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--bin", required=True, help="folder with the sides")
    parser.add_argument("--native-bin", help="folder with a cuda_side built by -march=native")
    parser.add_argument("--cores", type=int, default=2, help="cores that all sides share")
    parser.add_argument("--rounds", type=int, default=3, help="processes a side and case")
    parser.add_argument("--samples", type=int, default=5, help="times taken in each process")
    parser.add_argument("--case", action="append", help="this one only; may be repeated")
    parser.add_argument("--json", metavar="FILE", help="keep all figures")
    arguments = parser.parse_args()
    cores = sorted(os.sched_getaffinity(0))
    arguments.cores = max(1, min(arguments.cores, len(cores)))
    os.sched_setaffinity(0, cores[:arguments.cores])  # children inherit it
    head = {
        "program": "compare_cpu_peers",
        "date": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        "commit": output_of(["git", "describe", "--always", "--dirty"]),
        "processor": output_of(["sed", "-n", "s/^model name.*: //p;T;q", "/proc/cpuinfo"]),
        "processor_cores": os.cpu_count(),
        "cores": arguments.cores,
        "system": output_of(["sh", "-c", ". /etc/os-release && echo $PRETTY_NAME"]) + ", Linux " +
                  platform.release(),
        "load_before": os.getloadavg()[0],
        "rounds": arguments.rounds,
    }
    with tempfile.TemporaryDirectory() as scratch:
        os.mkdir(os.path.join(scratch, "pocl"))
        sides = make_sides(arguments, scratch)
        cases = [case for case in load_cases(sides["plain"].command[0])
                 if not arguments.case or case["name"] in arguments.case]
        measure(sides, cases, arguments)
        simulator = measure_simulator(sides, arguments) if not arguments.case else None
    print_head(sides, head)
    print_table(sides, cases)
    if "pocl" not in sides:
        print("\nPoCL: SKIPPED, opencl_side is not built "
              "(Debian: pocl-opencl-icd ocl-icd-opencl-dev opencl-headers)")
    print_compile_times(sides, cases)
    report = Report()
    if not arguments.case:
        judge(report, sides, cases)
        print_simulator(simulator)
    wrong = {f"{key}: {name}": trouble for key in ("ours", "one", "plain", "native")
             if key in sides for name, trouble in sides[key].troubles.items()}
    for what, trouble in wrong.items():
        print(f"WRONG: {what} {trouble}")
    ok = not wrong and all(line["met"] is not False for line in report.lines)
    head.update(load_after=os.getloadavg()[0], goals=report.lines, ok=ok,
                sides={key: side.record() for key, side in sides.items()})
    if simulator:
        head["simulator"] = {side.key: side.record() for side in simulator}
    if arguments.json:
        partial = f"{arguments.json}.partial"
        with open(partial, "w", encoding="utf-8") as out:
            json.dump(head, out, indent=1)
            out.write("\n")
        os.replace(partial, arguments.json)
    print("\nOK" if ok else "\nNot all goals were met.")
    return 0 if ok else 1


if __name__ == "__main__":
    sys.exit(main())
