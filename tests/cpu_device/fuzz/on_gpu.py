#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs on the GPU of this machine, beside the CPU device: cut, whole, and under three
orders of threads. Run it where pack_builder.sh's folder lies; needs nvcc and g++.

    python3 FOLDER/fuzz/on_gpu.py --seconds 240 --seed 1

A kernel that differs on the GPU alone is compiled once more with nvcc's optimisers off: if that
agrees with the CPU device, the difference is nvcc's, and is said to be.
Exit status: 0 if nothing else differs, else 1.
"""
import argparse
import concurrent.futures
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PACK = os.path.dirname(HERE)
sys.path.insert(0, HERE)
os.environ["RUNFILES_DIR"] = os.path.join(PACK, "runfiles")
import builds
from program import write_program

# Statements of the language in which kernels are cut.
LANGUAGE = ("assign declare_scalar declare_later declare_several local_array vector_local if_lane if_uniform loop_uniform "
            "while_uniform leave_uniform loop_lane while_lane exchange read_shared own_shared atomic_shared barrier_alone "
            "early_return shuffle vote warp_sum if_warp loop_warp syncwarp call_function").split()
KINDS = ("ordinary", "unusual", "language")
UNOPTIMISED = ["-Xcicc", "-O0", "-Xptxas", "-O0"]


def nvcc(source, program, flags):
    done = subprocess.run(["nvcc", "-arch=native", "-std=c++17", "-w"] + flags + [source, "-o", program],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return None if done.returncode == 0 else done.stdout


class Comparison:
    def __init__(self, chosen):
        self.work = tempfile.mkdtemp()
        lib = os.path.join(PACK, "lib")
        os.environ["LD_LIBRARY_PATH"] = lib + ":" + os.environ.get("LD_LIBRARY_PATH", "")
        builder = builds.find_builder(self.work, ["-O1", "-g0", "-w", "-L" + lib, "-Wl,-rpath," + lib])
        self.programs = builds.Programs(builder, self.work, 20)
        self.chosen, self.begin = chosen, time.time()

    def compare(self, seed):
        """(what differs, what nvcc's optimisers get wrong, kernels, those cut); None when time is over."""
        if time.time() - self.begin > self.chosen.seconds:
            return None
        kind = KINDS[seed % len(KINDS)]
        text = write_program(seed, self.chosen.kernels, kind == "unusual", LANGUAGE if kind == "language" else [])[0]
        name = "seed %d, %s" % (seed, kind)
        program = self.programs.run_program(name, text, name)
        if program.failed:
            return ["%s: does not build: %s" % (name, program.log[:600])], [], 0, 0
        folder = tempfile.mkdtemp(dir=self.work)
        source = os.path.join(folder, "fuzz.cu")
        with open(source, "w") as f:
            f.write(text)
        os.mkdir(os.path.join(folder, "gpu"))
        gpu = os.path.join(folder, "gpu", "program")
        problem = nvcc(source, gpu, ["-O1"])
        if problem:
            return ["%s: nvcc: %s" % (name, problem[:600])], [], 0, 0
        program.outputs["gpu", 0] = self.programs.run(gpu, 0)
        differ, of_nvcc = [], []
        for kernel, what in program.differences():
            plain = os.path.join(folder, "gpu", "plain")
            cpu = program.outputs["whole", 0].get(kernel)
            same = len({o.get(kernel) for run, o in program.outputs.items() if run[0] != "gpu"}) == 1
            agrees = same and not nvcc(source, plain, UNOPTIMISED) and self.programs.run(plain, 0, kernel).get(kernel) == cpu
            (of_nvcc if agrees else differ).append("%s, kernel %d: %s" % (name, kernel, "; ".join(what)))
        shutil.rmtree(folder)
        return differ, of_nvcc, program.count, program.cut


def main(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1, help="of the first program")
    parser.add_argument("--seconds", type=float, default=240, help="no program begins after that time")
    parser.add_argument("--kernels", type=int, default=30, help="in each program")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="programs at once")
    chosen = parser.parse_args(words)
    comparison = Comparison(chosen)
    programs = kernels = cut = bad = of_nvcc = 0
    with concurrent.futures.ThreadPoolExecutor(chosen.jobs) as pool:
        seeds = range(chosen.seed, chosen.seed + 100000)
        for result in pool.map(comparison.compare, seeds):
            if result is None:
                continue
            programs, kernels, cut = programs + 1, kernels + result[2], cut + result[3]
            bad, of_nvcc = bad + len(result[0]), of_nvcc + len(result[1])
            for line in result[0]:
                print("differs: " + line)
            for line in result[1]:
                print("right with nvcc's optimisers off: " + line)
    print("%d programs, %d kernels, %d of them cut: %d differ, %d more through nvcc's optimisers alone" %
          (programs, kernels, cut, bad, of_nvcc))
    return 1 if bad or not kernels else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
