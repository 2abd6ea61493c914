#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are BUILD and .bzl files laid out as Bazel's own formatter would? Debian has no buildifier; this
checks what differs most easily: the SPDX line, strings in double quotes, a comma at the end of each
line of a list or call, four spaces of indent, lists of files and deps sorted, name first."""
import ast
import io
import os
import subprocess
import sys
import tokenize
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SORTED = {"data", "deps", "hdrs", "srcs", "tags", "tools", "visibility"}
OPEN, CLOSE = ("(", "[", "{"), (")", "]", "}")
NOT_OURS = "bazel/third_party/debian/"


def files():
    names = subprocess.run(["git", "ls-files", "--", "*BUILD", "*BUILD.bazel", "*.bzl", "WORKSPACE*", "MODULE.bazel"],
                           cwd=ROOT, stdout=subprocess.PIPE, universal_newlines=True, check=True).stdout.split()
    return [n for n in names if not n.startswith(NOT_OURS)]


def sort_key(label):
    """Files, then :targets, //packages and @repositories; //a:x before //a/b:x."""
    phase = {":": 2, "/": 3, "@": 4}.get(label[0], 1)
    return phase, label.replace(":", "!").split(".")


def is_exempt(node, lines):
    """buildifier's own words for a list whose order matters."""
    return any("do not sort" in lines[i] for i in range(max(0, node.lineno - 2), node.lineno + 1) if i < len(lines))


def faults_in_lists(tree, lines):
    for statement in tree.body:
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            named = [k.arg for k in statement.value.keywords]
            if "name" in named and named[0] != "name":
                yield statement.lineno, "name comes first"
    for call in (n for n in ast.walk(tree) if isinstance(n, ast.Call)):
        for k in call.keywords:
            if k.arg not in SORTED or not isinstance(k.value, ast.List) or is_exempt(k.value, lines):
                continue
            labels = [e.value for e in k.value.elts if isinstance(e, ast.Constant)]
            if len(labels) == len(k.value.elts) and labels != sorted(labels, key=sort_key):
                yield k.value.lineno, "%s is not sorted: %s" % (k.arg, ", ".join(sorted(labels, key=sort_key)))


def faults_in_tokens(text):
    skipped = (tokenize.COMMENT, tokenize.NL)
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    depth = []
    for i, token in enumerate(tokens):
        if token.type == tokenize.STRING and token.string.lstrip("r")[0] == "'" and '"' not in token.string:
            yield token.start[0], "double quotes, not single ones"
        if token.type == tokenize.INDENT and (len(token.string) % 4 or "\t" in token.string):
            yield token.start[0], "indents are multiples of four spaces"
        if token.type != tokenize.OP:
            continue
        if token.string in OPEN:
            # A call or list whose first item stands on a line of its own ends each item with a comma.
            depth.append(tokens[i + 1].type in skipped)
        elif token.string in CLOSE and depth.pop():
            before = next(t for t in reversed(tokens[:i]) if t.type not in skipped)
            first_of_line = token.line[:token.start[1]].strip() == ""
            last_is_kwargs = before.line.strip().startswith("**")
            if first_of_line and before.string not in (",",) + OPEN and not last_is_kwargs and not one_item(tokens, i):
                yield before.start[0], "no comma at the end"


def one_item(tokens, closing):
    """A parenthesis round one expression, or a comprehension, which takes no comma."""
    level, comma, loop = 0, False, False
    for t in reversed(tokens[:closing]):
        if t.string in CLOSE and t.type == tokenize.OP:
            level += 1
        elif t.string in OPEN and t.type == tokenize.OP:
            if level == 0:
                i = tokens.index(t)
                call = i > 0 and tokens[i - 1].type == tokenize.NAME and tokens[i - 1].string not in ("in", "return")
                return loop or (t.string == "(" and not comma and not call)
            level -= 1
        elif level == 0:
            comma = comma or t.string == ","
            loop = loop or t.string == "for"
    return False


def faults(text):
    lines = text.split("\n")
    if "SPDX-License-Identifier: Apache-2.0" not in lines[0]:
        yield 1, "the first line is '# SPDX-License-Identifier: Apache-2.0'"
    for i, line in enumerate(lines, 1):
        if line != line.rstrip() or "\t" in line:
            yield i, "a blank at the end of the line, or a tab"
    yield from faults_in_tokens(text)
    yield from faults_in_lists(ast.parse(text), lines)


class BuildFiles(unittest.TestCase):
    def test_all_are_laid_out_alike(self):
        found = []
        for name in files():
            with open(os.path.join(ROOT, name), encoding="utf-8") as f:
                found += ["%s:%d: %s" % (name, line, what) for line, what in sorted(faults(f.read()))]
        self.assertGreater(len(files()), 20)
        self.assertEqual([], found, "\n" + "\n".join(found))

    def test_each_fault_is_found(self):
        top = "# SPDX-License-Identifier: Apache-2.0\n"
        right = top + 'f(\n    name = "a",\n    deps = [\n        "b.c",\n        ":a",\n        "//c",\n        "@d",\n    ],\n)\n'
        self.assertEqual([], list(faults(right)))
        for wrong, part in (
                (right[len(top):], "SPDX"),
                (right.replace('"a"', "'a'"), "quotes"),
                (right.replace('"@d",', '"@d"'), "comma"),
                (right.replace('"//c",\n        "@d"', '"@d",\n        "//c"'), "sorted"),
                (right.replace('name = "a",\n    ', "").replace("],", '],\n    name = "a",'), "first"),
                (right.replace('"b.c",', '"b.c", '), "blank"),
        ):
            self.assertTrue(any(part in what for _, what in faults(wrong)), part + ":\n" + wrong)


if __name__ == "__main__":
    unittest.main()
