#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes compile_commands.json, from which clangd and other editors' helpers learn the flags.

    bazel run //bazel:compile_commands [-- bazel targets]        (default //...)

The commands are those of --config=cpu, so an editor needs no CUDA toolkit. For a .cu file
clang is told to read it as CUDA against the CPU device's headers: it knows <<<>>>.
"""
import json
import os
import subprocess
import sys

# All, and the CPU device's sources, which are built merged, each by itself.
DEFAULT = ["//...", "//cpu_device/runtime:each_file", "//cpu_device/translator:each_file"]

# gcc's flags that clang does not know.
DROP = {"-fno-canonical-system-headers", "-Wno-free-nonheap-object", "-Wunused-but-set-parameter"}
AS_CUDA = ["-x", "cuda", "--cuda-host-only", "-nocudainc", "-nocudalib", "-Wno-unknown-cuda-version",
           "-Xclang", "-fcuda-allow-variadic-functions", "-D__CUDACC__=1", "-D__NVCC__=1", "-include", "bazel/clangd_cuda.h"]


def bazel(*args):
    res = subprocess.run([os.environ.get("BAZEL", "bazel"), *args], stdin=subprocess.DEVNULL,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if res.returncode != 0:
        sys.exit(res.stderr)
    return res.stdout


def command_of(action):
    """(source, arguments) of a compilation, or None for what is no source of ours."""
    args = action["arguments"]
    if action["mnemonic"] == "CuToCpp":  # cu_to_cpp SOURCE OUT -- COMPILER FLAGS...
        source, start = args[1], args.index("--") + 1
        args = args[start:start + 1] + AS_CUDA + args[start + 1:] + [source]
    else:
        source = args[args.index("-c") + 1]
    if source.startswith(("external/", "bazel-out/")):
        return None
    return source, args


def without_output(args):
    """Drops what belongs to Bazel: output and dependency files, and flags unknown to clang."""
    kept = []
    skip = False
    for arg in args:
        if skip:
            skip = False
        elif arg in ("-MF", "-o"):
            skip = True
        elif arg not in DROP and arg not in ("-MD", "-c") and not arg.startswith("-frandom-seed="):
            kept.append(arg)
    return kept


def main(targets):
    os.chdir(os.environ.get("BUILD_WORKSPACE_DIRECTORY", "."))
    root = bazel("info", "workspace").strip()
    execution_root = bazel("info", "execution_root").strip()
    output_base = bazel("info", "output_base").strip()
    query = 'mnemonic("CppCompile|CuToCpp", deps(%s))' % " + ".join(targets or DEFAULT)
    graph = json.loads(bazel("aquery", "--config=cpu", "--output=jsonproto", query))

    def absolute(arg):
        for prefix in ("-I", ""):
            for folder, place in (("external/", output_base), ("bazel-out/", execution_root)):
                if arg.startswith(prefix + folder):
                    return prefix + os.path.join(place, arg[len(prefix):])
        return arg

    commands = {}
    for action in graph.get("actions", []):
        command = command_of(action)
        if command:
            source, args = command
            args = [absolute(arg) for arg in without_output(args)]
            commands.setdefault(source, {"directory": root, "file": source, "arguments": args})
    path = os.path.join(root, "compile_commands.json")
    with open(path + ".new", "w") as out:
        json.dump([commands[source] for source in sorted(commands)], out, indent=1)
        out.write("\n")
    os.replace(path + ".new", path)
    print("compile_commands.json: %d files" % len(commands))


if __name__ == "__main__":
    main(sys.argv[1:])
