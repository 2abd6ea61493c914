# SPDX-License-Identifier: Apache-2.0
"""Makes a program with a difference smaller: statements go while the difference stays.

What stays is legal only as far as it can be seen here: kernels left whole have to give one and the
same result under every order of threads.
"""
import re

from builds import ORDERS
from texts import kernels_of, with_kernels


def pieces(lines):
    """Ranges of lines that may go: largest first; each holds whole blocks."""
    ranges, opened = [], []
    start = next(i for i, line in enumerate(lines) if line.startswith("// Kernel"))
    end = next(i for i, line in enumerate(lines) if line.startswith("static void (*const LAUNCHES"))
    for i in range(start, end):
        depth = lines[i].count("{") - lines[i].count("}")
        if lines[i].strip().startswith("}") and opened and "{" not in lines[i]:
            ranges.append((opened.pop(), i + 1))
        elif depth > 0:
            opened.append(i)
        else:
            ranges += [(i, i + n) for n in (1, 2, 4, 8, 16) if i + n <= end and balanced(lines[i:i + n])]
    launches = [i for i in range(start, end) if lines[i].startswith("static void launch_")]
    ranges = [(a, b) for a, b in ranges if not any(a <= i < b or i < a and "}" not in "".join(lines[i:a])
                                                   for i in launches)]
    return sorted(set(ranges), key=lambda r: r[0] - r[1])


def balanced(lines):
    depth = 0
    for line in lines:
        depth += line.count("{") - line.count("}")
        if depth < 0:
            return False
    return depth == 0


def differs(programs, text, number):
    """True if, left whole, it builds and is steady, and cut it gives something else."""
    built, _ = programs.build(text, ("whole",))
    if not built:
        return False
    results = {programs.run(built["whole"], order, number).get(number) for order in ORDERS}
    if len(results) != 1 or not re.search("[0-9a-f]{16}$", next(iter(results)) or ""):
        return False
    built, _ = programs.build(text, ("cut",))
    return built != {} and any(programs.run(built["cut"], order, number).get(number) not in results for order in ORDERS)


def only_whole_builds(programs, text, number):
    return programs.build(text, ("whole",))[0] != {} and programs.build(text, ("cut",))[0] == {}


def fewer_kernels(programs, text, number, wanted):
    """The program with that kernel, and those others without which nothing differs."""
    numbers = sorted(kernels_of(text)[1])
    size = len(numbers)
    while size > 0:
        for first in range(0, len(numbers), size):
            left = [n for n in numbers if n == number or n not in numbers[first:first + size]]
            if left != numbers and wanted(programs, with_kernels(text, left), number):
                numbers = left
                break
        else:
            size //= 2
    return with_kernels(text, numbers)


def reduce_kernel(programs, text, number, path):
    """Writes the smaller program to `path`, again and again as it shrinks; False if nothing differs."""
    programs.only_kernel = None
    wanted = next((test for test in (differs, only_whole_builds) if test(programs, text, number)), None)
    if not wanted:
        return False
    text, shrunk = fewer_kernels(programs, text, number, wanted), True
    while shrunk:
        shrunk, tried = False, 0
        while tried < len(pieces(text.split("\n"))):
            lines = text.split("\n")
            first, last = pieces(lines)[tried]
            shorter = "\n".join(lines[:first] + lines[last:])
            if wanted(programs, shorter, number):
                text, shrunk = shorter, True
            else:
                tried += 1
        with open(path, "w") as f:
            f.write(text)
    return True
