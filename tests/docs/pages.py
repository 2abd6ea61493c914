#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Are the pages true? Links lead somewhere, quoted code is in its source, quoted output is what
programs print, pictures are what their script draws.

Before a block in a page stands, as a comment, what it is:
  from ../lessons/x.cu          lines of that file, one after another, indented as there or less
  output of lessons/x           what the program prints, from its first to its last line; where a
                                 time or a rate of this computer stands, any number may;
                                 ", status 1" where it is to end with 1
  CPU device output             the same, of the lesson that the page is named after
Before a paragraph or a table may stand where its figures (times, rates, shares, ratios) come from:
  figures from ../x/y.log       each stands in that file
  figures: WHY                  they are not of a recorded run in the tree; WHY says whose
Without that, a figure in a lesson's page stands in one of the page's blocks of output.
Blocks of output are compared on the CPU device alone.
"""
import argparse
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import textwrap
import unittest
import xml.sax.saxutils

ROOT = os.path.dirname(os.path.realpath(os.path.join(os.getcwd(), "docs/words.md"))).rsplit("/docs", 1)[0]
PAGES = sorted(glob.glob(os.path.join(ROOT, "docs/*.md"))) + [os.path.join(ROOT, n) for n in ("README.md", "CONTRIBUTING.md")]


def read(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def name_of(page):
    return os.path.relpath(page, ROOT)


def anchors(page):
    """What can stand behind # in a link to the page."""
    text = read(page)
    found = set(re.findall(r'<a id="([^"]+)"', text))
    for heading in re.findall(r"(?m)^#+ (.+)$", re.sub(r"(?s)```.*?```", "", text)):
        words = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
        found.add(words.strip().replace(" ", "-"))
    return found


def quotes(text, source):
    """Do the text's lines stand in the source, one after another? All may be indented more there."""
    lines = source.splitlines()
    count = len(text.splitlines())
    return any(textwrap.dedent("\n".join(lines[i:i + count])) == textwrap.dedent(text.rstrip("\n"))
               for i in range(len(lines) - count + 1))


def prose(page):
    """The page without blocks of code and without code in lines."""
    return re.sub(r"`[^`\n]*`", "", re.sub(r"(?s)```.*?```", "", read(page)))


def blocks(page):
    """(what the comment before it says, the text) of each block that has one."""
    return [(about.strip(), text) for about, text in
            re.findall(r"<!-- ([^>]*?) -->\n+```\w*\n(.*?)```", read(page), re.S) if "SPDX" not in about]


NUMBER = r"~?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?"
# Times, rates and shares, which differ from run to run where they are this computer's own.
VARIES = re.compile(r"(?:%s) ?(?:ns|us|ms|s|GB/s|MB/s|MHz|%%|x)(?![\w/])" % NUMBER)
# All others are those of the recorded run, which is in the tree: they have to be exact.
OWN = re.compile(r"measured by a copy|This computer's CPU|\(median of ")


# The device of the pages' outputs, whatever computer the test runs on.
DEVICE = {"LAB_CPU_DEVICE_THREADS": "2", "LAB_CPU_DEVICE_MEMORY": "12637437952"}
# What a lesson says of this computer and this build at its beginning.
OF_THIS_COMPUTER = re.compile(r"\s*(?:No GPU was found:|The CPU was asked for\.|Built with -c dbg:)")


def program_environment():
    """This process's, but with the pages' device and nothing that chooses among GPUs."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("LAB_CPU_DEVICE_", "CUDA_"))}
    return dict(kept, **DEVICE)


def said(text):
    """A program's lines, without what another computer says otherwise."""
    return [masked(line) for line in text.splitlines() if not OF_THIS_COMPUTER.match(line)]


def masked(line):
    line = re.sub(r"(launched at|from) \S+\.cu:", r"\1 #.cu:", line)
    line = re.sub(r"this computer's \d+ cores?", "this computer's # cores", line)
    if OWN.search(line):
        line = VARIES.sub("#", line)
    return re.sub(r"\s+", " ", line).strip()


# Said so often that a link each would only disturb.
PLAIN_WORDS = {"host", "device", "cpu-device", "sass", "median"}


def words():
    """{anchor: what is looked for in a page} of docs/words.md."""
    found = {}
    for anchor, names in re.findall(r'(?m)^- <a id="([^"]+)"></a>([^:]*):', read(os.path.join(ROOT, "docs/words.md"))):
        name = re.search(r"\*\*([^*]+)\*\*", names).group(1)
        if name.split()[0] in ("pinned", "pageable", "managed"):
            name = name.split()[0]
        if anchor not in PLAIN_WORDS:
            found[anchor] = r"(?<![-_/.:\w])%s(?:s|d|es)?\b" % re.escape(name)
    return found


def gnuplot_of(picture):
    """The version of gnuplot that drew it; None if another program did."""
    found = re.search(r"Produced by (GNUPLOT [^<]*?)\s*<", picture)
    return found and found.group(1)


# What is measured to at least two digits: a time, a rate, a share, a ratio.
FIGURE = re.compile(r"(?<![\w.,])\d[\d,]*\.\d+ (?:ns|us|ms|s|GB/s|%|x)(?![\w/])|(?<![\w.,])\d\d[\d,]* (?:ns|us|ms|GB/s|%)(?![\w/])")


def squeezed(text):
    return re.sub(r"[ \n]+", " ", text)


def paragraphs(page):
    """(the comment before it, the text) of each paragraph, list and table, without code."""
    text = re.sub(r"(?s)```.*?```", "", read(page))
    return [(about.strip(), squeezed(part)) for about, part in
            re.findall(r"(?s)(?:<!-- (figures[^>]*?) -->\n)?((?:(?!<!--)[^\n]+\n)+)", text)]


class Pages(unittest.TestCase):
    maxDiff = None

    def test_links_lead_somewhere(self):
        wrong = []
        for page in PAGES:
            for target in re.findall(r"\]\(([^)\s]+)\)", prose(page)):
                if re.match(r"https?://|mailto:", target):
                    continue
                path, _, anchor = target.partition("#")
                there = os.path.normpath(os.path.join(os.path.dirname(page), path)) if path else page
                if not os.path.exists(there):
                    wrong.append("%s: %s is not there" % (name_of(page), target))
                elif anchor and there.endswith(".md") and anchor not in anchors(there):
                    wrong.append("%s: %s has no #%s" % (name_of(page), name_of(there), anchor))
        self.assertEqual([], wrong)

    def test_each_word_is_explained_once_with_a_number(self):
        entries = re.findall(r'(?m)^- <a id="([^"]+)"></a>(.*)$', read(os.path.join(ROOT, "docs/words.md")))
        self.assertGreaterEqual(len(entries), 40)
        self.assertEqual(len(entries), len({word for word, _ in entries}))
        self.assertEqual([], [word for word, text in entries if not re.search(r"\d", text)])

    def test_words_are_linked_where_they_are_used_first(self):
        wrong = []
        for page in PAGES:
            if not re.match(r"docs/(0\d_|library|pycuda)", name_of(page)):
                continue
            text = re.sub(r"(?m)^(#|<!--).*$", "", prose(page))
            for anchor, pattern in words().items():
                link = text.find("words.md#%s)" % anchor)
                use = re.search(pattern, re.sub(r"\]\([^)]*\)", lambda m: "]" + " " * (len(m.group()) - 1), text))
                if use and (link < 0 or use.end() < link - 2 and text[use.start() - 1] != "["):
                    wrong.append("%s: '%s' has no link to words.md#%s at its first use" % (name_of(page), use.group(), anchor))
        self.assertEqual([], wrong)

    def test_quoted_code_is_in_its_source(self):
        for page in PAGES:
            for about, text in blocks(page):
                if about.startswith("from "):
                    path = os.path.normpath(os.path.join(os.path.dirname(page), about[5:]))
                    with self.subTest(page=name_of(page), source=about[5:]):
                        self.assertTrue(quotes(text, read(path)), text)

    def test_figures_are_in_what_they_come_from(self):
        wrong, count = [], 0
        for page in PAGES:
            outputs = squeezed("\n".join(t for a, t in blocks(page) if "output" in a))
            for about, paragraph in paragraphs(page):
                if about.startswith("figures:") or not (about or re.match(r"docs/0[1-9]_", name_of(page))):
                    continue
                if about.startswith("figures from "):
                    source = squeezed(read(os.path.normpath(os.path.join(os.path.dirname(page), about[13:]))))
                else:
                    source = outputs
                for figure in FIGURE.findall(paragraph):
                    count += 1
                    # In a lesson's table the unit may stand at the head of the column.
                    there = squeezed(figure) if source is not outputs else figure.split()[0]
                    if not re.search(r"(?<![\d.,])%s(?![\w/]|\.\d)" % re.escape(there), source):
                        wrong.append("%s: %s" % (name_of(page), figure))
        self.assertEqual([], wrong)
        self.assertGreaterEqual(count, 30)

    def test_lessons_keep_to_their_budget(self):
        lessons = sorted(glob.glob(os.path.join(ROOT, "lessons/[0-9][0-9]_*.c*")))
        self.assertGreaterEqual(len(lessons), 5)
        self.assertEqual([], ["%s: %d lines" % (name_of(l), len(read(l).splitlines())) for l in lessons
                              if len(read(l).splitlines()) > 120])

    def test_mistakes_are_what_the_pages_make(self):
        made = []
        for page in PAGES:
            for command, name in re.findall(r"(?m)^(sed .*) > /tmp/(\w+\.cu)$", read(page)):
                made.append(name)
                done = subprocess.run(command, shell=True, cwd=ROOT, stdout=subprocess.PIPE,
                                      universal_newlines=True, check=True)
                self.assertEqual(done.stdout, read("tests/docs/" + name))
        self.assertGreaterEqual(len(made), 3, made)

    def test_pictures_are_what_their_script_draws(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([sys.executable, os.path.join(ROOT, "docs/pictures/draw.py"), folder, "--programs", "."],
                           env=program_environment(), check=True)
            there = {n: read(os.path.join(ROOT, "docs/pictures", n))
                     for n in os.listdir(os.path.join(ROOT, "docs/pictures")) if n.endswith(".svg")}
            drawn = {n: read(os.path.join(folder, n)) for n in os.listdir(folder)}
            self.assertEqual({n for n in there if not gnuplot_of(there[n])}, {n for n in drawn if not gnuplot_of(drawn[n])})
            self.assertLessEqual(set(drawn), set(there))
            for name in drawn:
                if gnuplot_of(drawn[name]) == gnuplot_of(there[name]):
                    self.assertEqual(drawn[name], there[name], name)

    def test_pictures_are_shown_by_a_page(self):
        shown = {p for page in PAGES for p in re.findall(r"!\[[^\]]+\]\(pictures/([^)]+)\)", read(page))}
        self.assertEqual(shown, {n for n in os.listdir(os.path.join(ROOT, "docs/pictures")) if n.endswith(".svg")})

    def test_quoted_output_is_what_programs_print(self):
        compared = []
        for page in PAGES:
            for about, text in blocks(page):
                status = 0
                if about.startswith("output of "):
                    program, _, ended = about[len("output of "):].partition(", status ")
                    command, status = program.split(), int(ended or 0)
                elif about == "CPU device output":
                    command = ["lessons/" + os.path.basename(page)[:-3]]
                else:
                    continue
                if about == "CPU device output" and not os.path.exists(command[0]):
                    continue  # it is not among this test's data
                with self.subTest(page=name_of(page), command=command):
                    compared.append(command[0])
                    # What lessons say on standard error is not part of their pages.
                    errors = subprocess.DEVNULL if about == "CPU device output" else subprocess.STDOUT
                    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=errors,
                                          universal_newlines=True, env=program_environment())
                    self.assertEqual(status, done.returncode, done.stdout)
                    self.assertEqual(said(text), said(done.stdout))
        self.assertGreaterEqual(len(compared), 5, compared)


def junit(result, names):
    """What .ci/count_tests.py reads."""
    bad = {}
    for test, why in result.failures + result.errors:
        name = getattr(test, "test_case", test)._testMethodName
        bad[name] = bad.get(name, "") + why
    cases = ['<testcase classname="Pages" name="%s">%s</testcase>' % (
        n, "<failure>%s</failure>" % xml.sax.saxutils.escape(bad[n]) if n in bad else "") for n in names]
    return '<?xml version="1.0"?>\n<testsuites><testsuite name="Pages">%s</testsuite></testsuites>\n' % "".join(cases)


def main():
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(Pages)
    names = [test._testMethodName for test in suite]
    result = unittest.TextTestRunner(verbosity=2).run(suite)
    if "XML_OUTPUT_FILE" in os.environ:
        with open(os.environ["XML_OUTPUT_FILE"], "w", encoding="utf-8") as f:
            f.write(junit(result, names))
    return 0 if result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
