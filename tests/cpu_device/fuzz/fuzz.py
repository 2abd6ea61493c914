#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random CUDA programs, run with their kernels cut at the barriers and with kernels left whole.

    bazel run //tests/cpu_device/fuzz -- --programs 20          looks for differences
    bazel run //tests/cpu_device/fuzz -- --seed 7 --unusual --write FOLDER    writes programs only
    bazel run //tests/cpu_device/fuzz -- --seed 7 --kernel 3 --reduce out.cu  makes a small one
    bazel run //tests/cpu_device/fuzz -- FOLDER/*.cu --gpu OUT  looks at programs that were written

Each program runs cut and whole, and both again under three orders of threads. Every kernel has to
give the same numbers each time. Exit status: 0 if they did, 1 if one differed or did not build,
2 for options that make no sense.
"""
import argparse
import os
import sys
import tempfile
from xml.etree import ElementTree

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))
from builds import Programs, find_builder, read_results
from program import write_program
from reduce import reduce_kernel


def options(words):
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sources", nargs="*", metavar="FILE.cu", help="programs that --write wrote, instead of new ones")
    parser.add_argument("--seed", type=int, default=1, help="of the first program (default 1)")
    parser.add_argument("--programs", type=int, default=1, help="programs, seeds counting up (default 1)")
    parser.add_argument("--kernels", type=int, default=30, help="kernels in each (default 30)")
    parser.add_argument("--unusual", action="store_true", help="unusual forms as well")
    parser.add_argument("--only", default="", help="names of statements, with commas between them")
    parser.add_argument("--kernel", type=int, help="only this kernel of each program")
    parser.add_argument("--jobs", type=int, default=2, help="programs built at once (default 2)")
    parser.add_argument("--flags", default="-O0 -g0 -w", help="more flags for the compiler (default: -O0 -g0 -w)")
    parser.add_argument("--time-limit", type=int, default=20, help="seconds a kernel may run (default 20)")
    parser.add_argument("--write", metavar="FOLDER", help="write the programs there, and run nothing")
    parser.add_argument("--gpu", metavar="FOLDER", help="what pack.sh's run_all.sh wrote on a GPU: compared as well")
    parser.add_argument("--record", metavar="FOLDER", help="write there what kernels left whole gave: the same lines as a GPU's")
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


def new_programs(chosen):
    """Yields (name, text, command that makes it again)."""
    only = [name for name in chosen.only.split(",") if name]
    for seed in range(chosen.seed, chosen.seed + chosen.programs):
        name = "%s_%d" % ("unusual" if chosen.unusual else "ordinary", seed)
        command = command_of(chosen, seed)
        yield name, write_program(seed, chosen.kernels, chosen.unusual, only, command)[0], command


def given_programs(chosen):
    for path in chosen.sources:
        with open(path) as f:
            yield os.path.splitext(os.path.basename(path))[0], f.read(), "fuzz " + path


def write_all(chosen):
    os.makedirs(chosen.write, exist_ok=True)
    for name, text, _ in new_programs(chosen):
        with open(os.path.join(chosen.write, name + ".cu"), "w") as f:
            f.write(text)
    return 0


def add_gpu(folder, program):
    """What a GPU printed for the program, from the files that run_all.sh wrote."""
    path = os.path.join(folder, program.name + ".txt")
    if os.path.exists(path):
        with open(path) as f:
            program.outputs["gpu", 0] = read_results(f.read())
    else:
        program.log += "%s: no such file, which the GPU's run should have written\n" % path


def write_record(folder, program):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, program.name + ".txt"), "w") as f:
        for number, result in sorted(program.outputs.get(("whole", 0), {}).items()):
            printed, _, hash_of = result.rpartition("; ")
            f.writelines(line + "\n" for line in printed.split("; ") if line)
            f.write("kernel %d: %s\n" % (number, hash_of))


def problems(program):
    """(what to say of a program, how many of its kernels differed or did not build)."""
    said, count = [], 0
    if program.log:
        count = max(1, len(program.failed))
        errors = [line for line in program.log.split("\n") if "error" in line] or [program.log]
        said.append("%s: does not build, kernels %s: %s" % (program.name, sorted(program.failed), program.command))
        said += ["    " + error for error in errors[:10]]
    for number, lines in program.differences():
        count += 1
        said.append("%s kernel %d differs: %s --kernel %d" % (program.name, number, program.command, number))
        said += ["    " + line for line in lines]
    return "\n".join(said), count


class Record:
    """A case of a JUnit file for each program, where Bazel asks for one."""

    def __init__(self, path):
        self.path, self.cases = path, ElementTree.Element("testsuite", name="fuzz")

    def add(self, name, said):
        case = ElementTree.SubElement(self.cases, "testcase", classname="fuzz", name=name)
        if said:
            ElementTree.SubElement(case, "failure", message="runs differ").text = said

    def write(self):
        if self.path:
            suites = ElementTree.Element("testsuites")
            suites.append(self.cases)
            ElementTree.ElementTree(suites).write(self.path, encoding="utf-8", xml_declaration=True)


def look(chosen, work):
    """Builds, runs and compares all; the number of kernels that differed."""
    programs = Programs(find_builder(work, chosen.flags.split()), work, chosen.time_limit, chosen.kernel)
    record = Record(os.environ.get("XML_OUTPUT_FILE"))
    wanted = given_programs(chosen) if chosen.sources else new_programs(chosen)
    bad = kernels = cut = 0
    looked = 0
    for program in programs.run_all(wanted, chosen.jobs):
        if chosen.gpu:
            add_gpu(chosen.gpu, program)
        if chosen.record:
            write_record(chosen.record, program)
        said, count = problems(program)
        record.add(program.name, said)
        looked += 1
        if said:
            print(said, flush=True)
        kernels, cut, bad = kernels + program.count, cut + program.cut, bad + count
        if count and chosen.reduce:
            number = min(program.failed) if program.failed else program.differences()[0][0]
            done = reduce_kernel(programs, program.text, number, chosen.reduce)
            print("reduced: %s" % chosen.reduce if done else "kernel %d cannot be reduced: it does not differ now" % number)
            break
    record.write()
    print("%d programs, %d kernels, %d of them cut, %d differ" % (looked, kernels, cut, bad))
    return bad


def main(words):
    chosen = options(words)
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    if chosen.write:
        return write_all(chosen)
    with tempfile.TemporaryDirectory(prefix="fuzz.") as work:
        return 1 if look(chosen, work) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
