# SPDX-License-Identifier: Apache-2.0
"""The text of a program taken apart into its kernels."""
import re


def kernels_of(text):
    """(what stands before the kernels, {number: its text}, what stands behind them)."""
    parts = re.split(r"(?m)^(?=// Kernel \d+:|static void \(\*const LAUNCHES)", text)
    return parts[0], {int(re.match(r"// Kernel (\d+):", p).group(1)): p for p in parts[1:-1]}, parts[-1]


def with_kernels(text, numbers):
    """The program with those of its kernels alone; the others are run as nothing."""
    before, kernels, after = kernels_of(text)
    def nothing(number, part):
        """A launch of nothing, of as many lines as there were."""
        text = "// Kernel %d:\nstatic void launch_%d(const Frame &) {}\n" % (number, number)
        return text + "\n" * (part.count("\n") - 2)

    return before + "".join(part if n in numbers else nothing(n, part) for n, part in kernels.items()) + after


def kernels_in_errors(text, log):
    """The kernels in which the compiler's messages lie."""
    numbers, number, lines = set(), None, {}
    for n, line in enumerate(text.split("\n"), 1):
        found = re.match(r"// Kernel (\d+):|static void \(", line)
        number = (int(found.group(1)) if found.group(1) else None) if found else number
        lines[n] = number
    for n in re.findall(r"fuzz\.cu:(\d+):(?:\d+:)? error", log):
        numbers.add(lines.get(int(n)))
    return numbers - {None}
