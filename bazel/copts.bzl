# SPDX-License-Identifier: Apache-2.0
"""Compiler flags that BUILD files share.

Bazel's default mode (fastbuild) does not optimise, which is right for programs that are
edited and run, and wrong for what lessons time or what touches every element.
"""

# Line numbers for the reports of the CPU device and the sanitizers; everything in dbg.
LINE_TABLES = select({
    "//bazel:dbg": ["-g"],
    "//conditions:default": ["-g1"],
})

# For the helper library and the CPU references: optimised in every mode, never fast-math.
OPTIMIZED_COPTS = ["-O3"] + LINE_TABLES
