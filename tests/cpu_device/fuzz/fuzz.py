#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random CUDA programs, run with their kernels cut at the barriers and with kernels left whole.

    bazel run //tests/cpu_device/fuzz -- --programs 20          looks for differences
    bazel run //tests/cpu_device/fuzz -- --seed 7 --unusual --write FOLDER    writes programs only
    bazel run //tests/cpu_device/fuzz -- --seed 7 --kernel 3 --reduce out.cu  makes a small one

Each program runs cut and whole, and both again under three orders of threads. Every kernel has to
give the same numbers each time. Exit status: 0 if they did, 1 if one differed or did not build,
2 for options that make no sense.
"""
import argparse
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from builds import Programs, find_builder, read_results
from program import write_program
from reduce import reduce_kernel


def options(words):
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first program (default 1)")
    parser.add_argument("--programs", type=int, default=1, help="programs, seeds counting up (default 1)")
    parser.add_argument("--kernels", type=int, default=30, help="kernels in each (default 30)")
    parser.add_argument("--unusual", action="store_true", help="unusual forms as well")
    parser.add_argument("--only", default="", help="names of statements, with commas between them")
    parser.add_argument("--kernel", type=int, help="only this kernel of each program")
    parser.add_argument("--jobs", type=int, default=2, help="programs built at once (default 2)")
    parser.add_argument("--flags", default="-O1 -g0 -w", help="more flags for the compiler (default: -O1 -g0 -w)")
    parser.add_argument("--time-limit", type=int, default=20, help="seconds a kernel may run (default 20)")
    parser.add_argument("--write", metavar="FOLDER", help="write the programs there, and run nothing")
    parser.add_argument("--gpu", metavar="FOLDER", help="what pack.sh's run_all.sh wrote on a GPU: compared as well")
    parser.add_argument("--reduce", metavar="FILE", help="write a smaller program with the first difference there")
    chosen = parser.parse_args(words)
    for name in ("programs", "kernels", "jobs", "time_limit"):
        if getattr(chosen, name) < 1:
            parser.error("--%s must be at least 1" % name.replace("_", "-"))
    return chosen


def command_of(chosen, seed):
    """The command that makes the program of that seed again."""
    return "fuzz --seed %d --kernels %d%s%s" % (seed, chosen.kernels, " --unusual" if chosen.unusual else "",
                                                " --only " + chosen.only if chosen.only else "")


def make(chosen, seed):
    only = [name for name in chosen.only.split(",") if name]
    return write_program(seed, chosen.kernels, chosen.unusual, only, command_of(chosen, seed))


def file_stem(chosen, seed):
    return "%s_%d" % ("unusual" if chosen.unusual else "ordinary", seed)


def add_gpu(chosen, program):
    """What a GPU printed for the program, if it is among what was brought from there."""
    path = os.path.join(chosen.gpu, file_stem(chosen, program.seed) + ".txt")
    if os.path.exists(path):
        with open(path) as f:
            program.outputs["gpu", 0] = read_results(f.read())
    else:
        print("seed %d: no %s" % (program.seed, path))


def write_all(chosen):
    os.makedirs(chosen.write, exist_ok=True)
    for seed in range(chosen.seed, chosen.seed + chosen.programs):
        path = os.path.join(chosen.write, file_stem(chosen, seed) + ".cu")
        with open(path, "w") as f:
            f.write(make(chosen, seed)[0])
    return 0


def report(chosen, program):
    """Prints what differed; the number of kernels that did."""
    if program.log:
        print("seed %d: does not build, kernels %s: %s\n%s" % (
            program.seed, sorted(program.failed), command_of(chosen, program.seed), program.log[:2000]))
    differing = program.differences()
    for number, lines in differing:
        print("seed %d kernel %d differs: %s --kernel %d" % (program.seed, number, command_of(chosen, program.seed), number))
        for line in lines:
            print("    " + line)
    sys.stdout.flush()
    return len(differing) + (max(1, len(program.failed)) if program.log else 0)


def main(words):
    chosen = options(words)
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    if chosen.write:
        return write_all(chosen)
    bad = kernels = cut = 0
    with tempfile.TemporaryDirectory(prefix="fuzz.") as work:
        programs = Programs(find_builder(work, chosen.flags.split()), work, chosen.time_limit, chosen.kernel)
        seeds = range(chosen.seed, chosen.seed + chosen.programs)
        for program in programs.run_all([(seed, make(chosen, seed)[0]) for seed in seeds], chosen.jobs):
            if chosen.gpu:
                add_gpu(chosen, program)
            found = report(chosen, program)
            kernels += program.count
            cut += program.cut
            if found and chosen.reduce:
                number = min(program.failed) if program.failed else program.differences()[0][0]
                if reduce_kernel(programs, program.text, number, chosen.reduce):
                    print("reduced: %s" % chosen.reduce)
                return 1
            bad += found
    print("%d programs, %d kernels, %d of them cut, %d differ" % (chosen.programs, kernels, cut, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
