#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds and runs a CUDA program that has no BUILD file.

    bazel run //bazel:cu -- [flags] program.cu [more.cu more.cpp more.c] [--] [arguments]

Flags are the compiler's: -DNAME=VALUE -Ifolder -Lfolder -llibrary -O0 -g -std=c++20 -Wall.
With -o FILE the program is built, put there, and not run.
--cuts says of each kernel whether the CPU device cuts it at its barriers, and if not, why.
Paths count from where you are. The program's own folder and the top of the project are
looked in for #include "...". The exit status is the program's; 1 if it does not build,
2 if there is nothing to build.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

SOURCES = (".cu", ".cpp", ".cc", ".cxx", ".c")

# What nvcc users type and what means nothing on the CPU device; True: a value may follow.
NVCC_ONLY = {"-arch": True, "--gpu-architecture": True, "-code": True, "-gencode": True, "-rdc": True,
             "-maxrregcount": True, "-lineinfo": False, "--extended-lambda": False, "-extended-lambda": False,
             "--expt-extended-lambda": False, "-expt-extended-lambda": False,
             "--expt-relaxed-constexpr": False, "-expt-relaxed-constexpr": False,
             "--use_fast_math": False, "-use_fast_math": False, "-G": False, "-dc": False,
             "-lcudart": False, "-lcudadevrt": False, "-lcuda": False,
             "-Xptxas": True, "--ptxas-options": True, "-Xcudafe": True, "-diag-suppress": True,
             "-ccbin": True, "-cudart": True, "-O": False, "--device-debug": False,
             "-ftz": True, "-prec-div": True, "-prec-sqrt": True, "-fmad": True, "--fmad": True,
             "-res-usage": False, "--resource-usage": False, "-Wno-deprecated-gpu-targets": False}
VALUE_FOLLOWS = {"-o", "-I", "-D", "-U", "-L", "-l", "-include", "-isystem", "-Xcompiler", "-Xlinker",
                 "--compiler-options", "-std", "--std"}


def visible(text):
    """The text without bytes that a terminal would obey."""
    return "".join(c if c.isprintable() else "?" for c in text)


def take_output(flags):
    """(flags without -o FILE, FILE or None)"""
    kept, output = [], None
    words = iter(flags)
    for word in words:
        if word == "-o":
            output = next(words, None) or usage("-o: a file's name is missing after it")
        elif word.startswith("-o") and len(word) > 2:
            output = word[2:]
        else:
            kept.append(word)
    if output and os.path.isdir(output):
        usage("%s is a folder; -o names the program's file" % output)
    return kept, output


def usage(problem):
    print("cu: %s\n%s" % (visible(problem), __doc__.split("\n", 1)[1].strip("\n").split("\n\n")[0].rstrip()),
          file=sys.stderr)
    sys.exit(2)


def read_command(words):
    """(flags, sources, arguments of the program)"""
    flags, sources = [], []
    words = list(words)
    if words and words[0] in ("-h", "--help"):
        print(__doc__.strip())
        sys.exit(0)
    while words and words[0].startswith("-") and words[0] != "--":
        flags.append(words.pop(0))
        takes = flags[-1] in VALUE_FOLLOWS or NVCC_ONLY.get(flags[-1])
        if takes and words and not words[0].endswith(SOURCES):
            flags.append(words.pop(0))
    if words and words[0] == "--":
        words.pop(0)
    while words and words[0].endswith(SOURCES) and words[0] != "--":
        # After the first, a word that only looks like a source may be the program's argument.
        if sources and not os.path.exists(words[0]):
            usage("%s: no such file (arguments of the program that look like one come after --)" % words[0])
        sources.append(words.pop(0))
    if not sources:
        what = words[0] if words else None
        if what is None or what == "--":
            usage("no program was named")
        if os.path.isdir(what):
            usage("%s is a folder; name a .cu file" % what)
        usage("%s is no CUDA program: a name that ends in .cu is expected" % what)
    for path in sources:
        if os.path.isdir(path):
            usage("%s is a folder; name a .cu file" % path)
        if not os.path.exists(path):
            usage("%s: no such file in %s" % (path, os.getcwd()))
    if words and words[0] == "--":
        words.pop(0)
    return flags, sources, words


def find_runfiles():
    """The main repository's folder among what this program was built with."""
    me = os.path.abspath(sys.argv[0])
    places = [me + ".runfiles"] + [os.environ[v] for v in ("RUNFILES_DIR", "TEST_SRCDIR") if v in os.environ]
    if ".runfiles" + os.sep in me:
        places.append(me[:me.index(".runfiles" + os.sep) + len(".runfiles")])
    for place in places:
        for name in sorted(os.listdir(place)) if os.path.isdir(place) else ():
            if os.path.exists(os.path.join(place, name, "bazel/cu/settings.json")):
                return os.path.join(place, name)
    sys.exit("cu: its own files are missing; start it with `bazel run //bazel:cu -- program.cu`")


class Builder:
    """Commands for each source, made from the settings of cuda_binary."""

    def __init__(self, runfiles, work, flags, sources):
        with open(os.path.join(runfiles, "bazel/cu/settings.json")) as f:
            self.settings = json.load(f)
        self.runfiles, self.work = runfiles, work
        self.folders = sorted({os.path.dirname(source) or "." for source in sources})
        # Device functions and variables of one .cu file are seen in the others.
        self.device_code = ["-rdc=true"] if len([s for s in sources if s.endswith(".cu")]) > 1 else []
        self.link_flags = [f for f in flags if f.startswith(("-l", "-L", "-Wl,"))]
        self.flags = [f for f in flags if f not in self.link_flags]
        self.gpu = self.settings["device"] == "gpu"
        cuts = "--cuts" in self.flags
        self.flags = [f for f in self.flags if f != "--cuts"]
        relaxed = any(f.lstrip("-") == "expt-relaxed-constexpr" for f in flags)
        self.translator_flags = ["-DCPU_DEVICE_RELAXED_CONSTEXPR"] if relaxed else []
        if cuts:
            self.translator_flags.append("-DCPU_DEVICE_SHOW_CUTS")
        if not self.gpu:
            self.flags, self.link_flags = for_the_host(self.flags), for_the_host(self.link_flags)
            self.link_flags += [f for f in self.flags if f.startswith(("-fopenmp", "-pthread", "-fsanitize"))]

    def tool(self, name):
        return name if os.path.isabs(name) else os.path.join(self.runfiles, name)

    def where_to_look(self):
        own = [f for folder in self.folders for f in ("-I", folder)]
        lab = [f for i in self.settings["includes"] for f in ("-isystem", os.path.normpath(self.tool(i)))]
        top = os.environ.get("BUILD_WORKSPACE_DIRECTORY")
        return own + lab + (["-I", top] if top else [])

    def commands(self, number, source):
        """(object file, commands that make it)"""
        s = self.settings
        obj = os.path.join(self.work, "%d.o" % number)
        if self.gpu:
            return obj, [s["nvcc"] + self.device_code + self.where_to_look() + self.flags + ["-c", source, "-o", obj]]
        kind = source.rsplit(".", 1)[1]
        base = s[kind if kind in ("cu", "c") else "cc"]
        flags = ([self.tool(base[0])] + base[1:] + ["-D" + d for d in s["defines"]] + self.where_to_look() +
                 [f for f in self.flags if not (kind == "c" and f.startswith("-std=c++"))])
        if kind != "cu":
            return obj, [flags + ["-c", source, "-o", obj]]
        cpp = os.path.join(self.work, "%d.cc" % number)
        included = without_includes(flags)  # the translated file has them in it
        return obj, [[self.tool(s["translate"]), source, cpp, "--"] + flags + self.translator_flags,
                     included + ["-c", cpp, "-o", obj]]

    def link(self, objects, program):
        s = self.settings
        if self.gpu:
            return s["nvcc"] + self.device_code + objects + self.link_flags + ["-o", program]
        archives = []
        for library in s["libraries"]:
            file = os.path.normpath(self.tool(library["file"]))
            archives += ["-Wl,--whole-archive", file, "-Wl,--no-whole-archive"] if library["whole"] else [file]
        return [self.tool(s["linker"]), "-o", program] + objects + archives + self.link_flags + s["link"]


def without_includes(flags):
    """The flags less every `-include FILE`."""
    return [f for n, f in enumerate(flags) if f != "-include" and (n == 0 or flags[n - 1] != "-include")]


def for_the_host(flags):
    kept = []
    skip = passed_on = False
    for flag in flags:
        name = flag.split("=")[0]
        if skip:
            skip = False
        elif passed_on or name in ("-Xcompiler", "--compiler-options"):  # -Xcompiler "-Wall,-fopenmp" or =...
            value = flag if passed_on else flag.partition("=")[2]
            passed_on = not passed_on and "=" not in flag
            kept += value.strip("\"'").replace(",", " ").split()
        elif name == "--std":
            kept.append(flag[1:])
        elif name in NVCC_ONLY:
            skip = NVCC_ONLY[name] and "=" not in flag
        else:
            kept.append(flag)
    return kept


def build(builder, sources, program):
    """All sources side by side, then the link; False where one failed."""
    todo = [builder.commands(n, source) for n, source in enumerate(sources)]
    for step in range(2):  # what makes C++ of a .cu file, and the compiler
        running = [subprocess.Popen(commands[step], stdin=subprocess.DEVNULL, stdout=sys.stderr)
                   for _, commands in todo if step < len(commands)]
        if any([p.wait() for p in running]):
            return False
    return subprocess.call(builder.link([obj for obj, _ in todo], program), stdin=subprocess.DEVNULL,
                           stdout=sys.stderr) == 0


def run(program, name, arguments):
    """The program's exit status; signals that ask this process to end are passed on to it."""
    child = subprocess.Popen([name] + arguments, executable=program)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda n, frame: child.send_signal(n))
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the terminal sends it to the program as well
    status = child.wait()
    if status < 0:
        print("cu: %s ended by signal %d (%s)" % (name, -status, signal.Signals(-status).name), file=sys.stderr)
        return 128 - status
    return status


def main():
    runfiles = find_runfiles()
    os.chdir(os.environ.get("BUILD_WORKING_DIRECTORY", "."))
    flags, sources, arguments = read_command(sys.argv[1:])
    flags, output = take_output(flags)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, lambda n, frame: sys.exit(128 + n))
    work = tempfile.mkdtemp(prefix="cu.")
    try:
        name = os.path.splitext(os.path.basename(sources[0]))[0]
        program = os.path.join(work, name)
        if not build(Builder(runfiles, work, flags, sources), sources, program):
            return 1
        if output:
            shutil.copy(program, output)
            return 0
        return run(program, name, arguments)
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    finally:
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
