# SPDX-License-Identifier: Apache-2.0
"""Builds programs as //bazel:cu does, cut and whole, runs them, and compares what they print."""
import concurrent.futures
import importlib.util
import os
import re
import subprocess
import sys

from texts import kernels_in_errors, kernels_of, with_kernels

ORDERS = [0, 1, 2, 3]           # LAB_CPU_DEVICE_SEED
WAYS = {"cut": ["-DCPU_DEVICE_SHOW_CUTS"], "whole": ["-DCPU_DEVICE_UNCUT"]}


def find_builder(work, flags):
    """A function of more flags that gives cu.py's Builder, from the runfiles or a build in the tree."""
    here = os.path.dirname(os.path.realpath(__file__))
    root = os.path.normpath(os.path.join(here, "../../.."))
    places = [os.environ.get(v, "") for v in ("RUNFILES_DIR", "TEST_SRCDIR")]
    places += [os.path.abspath(sys.argv[0]) + ".runfiles", os.path.join(root, "bazel-bin/bazel/cu/cu.runfiles")]
    me = os.path.abspath(sys.argv[0])
    if ".runfiles" + os.sep in me:
        places.insert(0, me[:me.index(".runfiles" + os.sep) + len(".runfiles")])
    for place in places:
        for name in sorted(os.listdir(place)) if place and os.path.isdir(place) else ():
            runfiles = os.path.join(place, name)
            if os.path.exists(os.path.join(runfiles, "bazel/cu/settings.json")):
                script = os.path.join(runfiles, "bazel/cu/cu.py")
                if not os.path.exists(script):
                    script = os.path.join(root, "bazel/cu/cu.py")
                spec = importlib.util.spec_from_file_location("cu", script)
                cu = importlib.util.module_from_spec(spec)
                spec.loader.exec_module(cu)
                return lambda folder, more: cu.Builder(runfiles, folder, flags + more, [folder])
    sys.exit("fuzz: run it with `bazel run //tests/cpu_device/fuzz`, or `bazel build //bazel/cu` first")


def read_results(text):
    """{kernel: its hash or error, and before it what it printed}."""
    results, printed = {}, ""
    for line in text.split("\n"):
        found = re.fullmatch(r"kernel (\d+): (.*)", line)
        if found:
            results[int(found.group(1))] = printed + found.group(2)
            printed = ""
        elif line:
            printed += line + "; "
    return results


class Program:
    """One program and what its runs printed: outputs[way, order] is {kernel: result}."""

    def __init__(self, name, text, command):
        self.name, self.text, self.command = name, text, command
        self.failed, self.log, self.outputs = set(), "", {}    # kernels that do not build, and why
        self.cut = 0                # kernels that were cut

    @property
    def count(self):
        return len(self.outputs.get(("whole", 0), ()))

    def differences(self):
        """[(kernel, what each run gave)] of those whose runs did not all give the same hash."""
        found = []
        for number in sorted({n for output in self.outputs.values() for n in output}):
            results = {run: output.get(number, "nothing") for run, output in self.outputs.items()}
            if len(set(results.values())) == 1 and "error" not in next(iter(results.values())):
                continue
            found.append((number, ["%s%s: %s" % (way, ", order %d" % order if order else "", result) for (way, order), result in results.items()]))
        return found


class Programs:
    """Builds and runs programs in a folder of its own."""

    def __init__(self, builder, work, time_limit, only_kernel=None):
        self.builder, self.work, self.only_kernel = builder, work, only_kernel
        self.time_limit = time_limit
        self.made = 0

    def build(self, text, ways=tuple(WAYS)):
        """({way: program}, what the translator said of cuts), or ({}, what the compiler said)."""
        self.made += 1
        folder = os.path.join(self.work, "%d" % self.made)
        os.makedirs(folder)
        source = os.path.join(folder, "fuzz.cu")
        with open(source, "w") as f:
            f.write(text)
        built, cuts = {}, ""
        for way in ways:
            out = os.path.join(folder, way)
            os.makedirs(out)
            builder = self.builder(out, WAYS[way])
            obj, commands = builder.commands(0, source)
            program = os.path.join(out, "program")
            for command in commands + [builder.link([obj], program)]:
                done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                      text=True, errors="replace")
                cuts += done.stdout
                if done.returncode:
                    return {}, "%s: %s" % (way, done.stdout)
            built[way] = program
        return built, cuts

    def run(self, program, order, kernel=None):
        """{kernel: hash, "error CODE" or "ended ..."} of one run, started anew behind what ended it."""
        env = dict(os.environ, LAB_CPU_DEVICE_SEED=str(order), LAB_CPU_DEVICE_TIME_LIMIT=str(self.time_limit),
                   LAB_CPU_DEVICE_QUIET="1", LAB_CPU_DEVICE_MEMORY="256M")
        results, last = {}, self.last_of(program)
        first = 0 if kernel is None else kernel
        if kernel is not None:
            last = kernel
        while first <= last:
            try:
                done = subprocess.run([program, str(first), str(last)], env=env, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                                      timeout=self.time_limit * 3 + 60)
                text, status = done.stdout, done.returncode
            except subprocess.TimeoutExpired as expired:
                text, status = (expired.stdout or b"").decode(), "time"
            results.update(read_results(text))
            first = max([first - 1] + [n for n in results]) + 1
            if first <= last:
                results[first] = "ended with %s" % status
                first += 1
        return results

    def last_of(self, program):
        with open(os.path.join(os.path.dirname(program), "../fuzz.cu")) as f:
            return len(re.findall(r"^static void launch_\d+\(", f.read(), re.M)) - 1

    def run_program(self, name, text, command):
        program = Program(name, text, command)
        built, said = self.build(text)
        while not built:  # without the kernels in which errors are, as often as others show up
            program.log += said
            found = kernels_in_errors(text, said) - program.failed
            rest = set(kernels_of(text)[1]) - program.failed - found
            if not found or not rest:
                return program
            program.failed |= found
            built, said = self.build(with_kernels(text, rest))
        program.cut = len(re.findall(r"note: kernel '\w+' is cut", said))
        for way in built:
            for order in ORDERS:
                program.outputs[way, order] = self.run(built[way], order, self.only_kernel)
        return program

    def run_all(self, named_texts, jobs):
        """Yields each Program when it has run, in their order."""
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            yield from pool.map(lambda item: self.run_program(*item), named_texts)
