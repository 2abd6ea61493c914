# SPDX-License-Identifier: Apache-2.0
"""Makes a program with a difference smaller: statements go while the difference stays.

What stays is legal only as far as it can be seen here: kernels left whole have to give one and the
same result under every order of threads, and nothing may be used that was not set.
"""
import re

from builds import ORDERS

CAREFUL = ["-Wuninitialized", "-Wmaybe-uninitialized"]


def only_kernel(text, number):
    """The program with that kernel alone."""
    parts = re.split(r"(?m)^(?=// Kernel \d+:)", text)
    after = re.search(r"(?m)^static void \(\*const LAUNCHES", parts[-1]).start()
    tail, parts[-1] = parts[-1][after:], parts[-1][:after]
    kept = [part for part in parts[1:] if part.startswith("// Kernel %d:" % number)]
    tail = re.sub(r"LAUNCHES\[\]\)\(const Frame &\) = \{.*\}", "LAUNCHES[])(const Frame &) = {launch_%d}" % number, tail)
    return parts[0] + "".join(kept) + re.sub(r": \d+ - 1;", ": 0;", tail)


def pieces(lines):
    """Ranges of lines that may go: largest first; each holds whole blocks."""
    ranges = []
    start = next(i for i, line in enumerate(lines) if line.startswith("// Kernel"))
    end = next(i for i, line in enumerate(lines) if line.startswith("static void launch_"))
    opened = []
    for i in range(start + 1, end):
        depth = lines[i].count("{") - lines[i].count("}")
        if lines[i].strip().startswith("}") and opened and "{" not in lines[i]:
            ranges.append((opened.pop(), i + 1))
        elif depth > 0:
            opened.append(i)
        elif lines[i].strip().startswith("}"):  # } else {
            if opened:
                opened.pop()
            opened.append(i)
        else:
            ranges.append((i, i + 1))
            ranges += [(i, i + n) for n in (2, 4, 8, 16) if i + n <= end and balanced(lines[i:i + n])]
    return sorted(set(ranges), key=lambda r: r[0] - r[1])


def balanced(lines):
    depth = 0
    for line in lines:
        depth += line.count("{") - line.count("}")
        if depth < 0:
            return False
    return depth == 0


def differs(programs, text):
    """True if it builds, is steady when left whole, and cut gives something else."""
    built, problem = programs.build(text, ("whole",))
    if problem:
        return False
    results = {programs.run(built["whole"], order).get(0) for order in ORDERS}
    if len(results) != 1 or not re.fullmatch("[0-9a-f]{16}", next(iter(results)) or ""):
        return False
    built, problem = programs.build(text, ("cut",))
    if problem:
        return False
    return any(programs.run(built["cut"], order).get(0) not in results for order in ORDERS)


def reduce_kernel(programs, text, number, path):
    """Writes the smaller program to `path`, again and again as it shrinks."""
    text = only_kernel(text, number)
    programs.only_kernel = None
    if not differs(programs, text):
        print("alone, kernel %d does not differ" % number)
    shrunk = True
    while shrunk:
        with open(path, "w") as f:
            f.write(text)
        shrunk = False
        tried = 0
        while True:
            lines = text.split("\n")
            ranges = pieces(lines)
            if tried >= len(ranges):
                break
            for n in range(tried, len(ranges)):
                first, last = ranges[n]
                shorter = "\n".join(lines[:first] + lines[last:])
                tried = n + 1
                if differs(programs, shorter):
                    text, shrunk = shorter, True
                    tried = max(0, n - 3)
                    with open(path, "w") as f:
                        f.write(text)
                    break
