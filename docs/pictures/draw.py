#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pages' pictures, SVG that is readable on light and on dark pages.

Three kinds: those that this script draws itself; those of a lesson's run on any device; and those
whose times only a GPU can say, from a recorded run. By default it builds what it runs.
"""
import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def style():
    """What C programs write as well: the string literals of SVG_STYLE."""
    with open(os.path.join(ROOT, "common/svg_picture.h"), encoding="utf-8") as f:
        define = re.search(r"#define SVG_STYLE((?:.*\\\n)*.*\n)", f.read()).group(1)
    literals = re.findall(r'"((?:[^"\\]|\\.)*)"', define)
    return "".join(literals).replace('\\"', '"').replace("\\n", "\n").rstrip("\n")


class Picture:
    def __init__(self, width, height, title):
        self.parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">'
                      % (width, height, width, height), "<title>%s</title>" % title, style()]

    def box(self, x, y, width, height, kind="box"):
        self.parts.append('<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>' % (kind, x, y, width, height))

    def text(self, x, y, words, kind="", anchor="start"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append('<text class="%s" x="%g" y="%g" text-anchor="%s">%s</text>' % (kind, x, y, anchor, words))

    def arrow(self, x1, y1, x2, y2, kind="arrow"):
        self.parts.append('<line class="%s" x1="%g" y1="%g" x2="%g" y2="%g"/>' % (kind, x1, y1, x2, y2))

    def labelled(self, x, y, width, height, words, kind):
        self.box(x, y, width, height, kind)
        self.text(x + width / 2, y + height / 2 + 5, words, "", "middle")

    def end(self):
        return "\n".join(self.parts + ["</svg>"]) + "\n"


def first_program():
    """Lesson 00: what lies where, and the six steps."""
    p = Picture(640, 330, "Host and device memory, and the steps of the first program")
    p.box(10, 30, 200, 170)
    p.text(20, 22, "host")
    p.box(430, 30, 200, 170)
    p.text(440, 22, "device")
    for y, host, device in ((60, "x", "d_x"), (140, "y", "d_y")):
        p.box(30, y, 160, 30, "memory")
        p.text(40, y + 20, host, "code")
        p.box(450, y, 160, 30, "memory")
        p.text(460, y + 20, device, "code")
    p.text(530, 52, "1. cudaMalloc", "code small", "middle")
    p.arrow(195, 75, 445, 75)
    p.text(320, 68, "2. cudaMemcpy", "code small", "middle")
    p.arrow(460, 92, 460, 137)
    p.text(468, 118, "3. twice<<<3907, 256>>>", "code small")
    p.arrow(445, 155, 195, 155)
    p.text(320, 148, "4. cudaMemcpy", "code small", "middle")
    p.text(40, 190, "5. check all of y", "small")
    p.text(460, 190, "6. cudaFree", "code small")
    p.text(10, 232, "the launch, in blocks of 256 threads: thread t of block b takes element i = b * 256 + t")
    width = 24
    for block, (x, name) in enumerate(((10, "block 0"), (130, "block 1"), (320, "block 3905"), (450, "block 3906"))):
        for k in range(4):
            p.box(x + k * width, 245, width, 30, "thread" if block < 3 or k < 1 else "idle")
        p.text(x + 2 * width, 292, name, "small", "middle")
    p.text(280, 265, "...", "", "middle")
    p.text(630, 312, "elements 999,936 to 1,000,002, then 189", "small", "end")
    p.text(630, 326, "threads that the guard sends away", "small", "end")
    return p.end()


def device_query():
    """Lesson 01: what a device is made of, with the figures of an H200."""
    p = Picture(690, 300, "A device, its SMs, the blocks on one of them, and a block's warps")
    p.text(10, 22, "device (an H200): 132 SMs, which share its memory and the L2 cache", "strong")
    p.box(10, 34, 670, 256)
    p.box(24, 48, 440, 170)
    p.text(34, 66, "SM 0: up to 32 blocks, 2,048 threads")
    for x, name in ((34, "block"), (250, "another block")):
        p.box(x, 78, 204, 80)
        p.text(x + 8, 94, name, "small")
        for k in range(8):
            p.box(x + 8 + 24 * (k % 8), 102, 20, 28, "thread")
        p.text(x + 8, 148, "8 warps of 32 threads: 256", "small")
    p.labelled(34, 170, 204, 34, "shared memory, 228 KiB", "memory")
    p.labelled(250, 170, 204, 34, "65,536 registers", "memory")
    p.labelled(478, 48, 80, 170, "SM 1", "box")
    p.text(576, 136, "...", "", "middle")
    p.labelled(594, 48, 72, 170, "SM 131", "box")
    p.labelled(24, 232, 200, 44, "L2 cache, 60 MiB", "memory")
    p.labelled(238, 232, 428, 44, "memory, 139.8 GiB", "memory")
    return p.end()


def round_trip():
    """Lesson 02: the ways from the host's memory to the device's, and back."""
    p = Picture(690, 300, "Copies between host and device: pageable, pinned and staged memory")
    p.text(10, 22, "host", "strong")
    p.text(540, 22, "device", "strong")
    p.text(480, 22, "bus", "strong", "middle")
    p.arrow(480, 30, 480, 290, "dashed")
    ways = (("malloc (pageable)", "CUDA's pinned buffer", "cudaMemcpy: one thread copies into the buffer first"),
            ("cudaMallocHost (pinned)", None, "cudaMemcpy: the device's copy engine uses the array itself"),
            ("malloc (pageable)", "the kit's pinned slots", "to_gpu and get: threads copy one slot while another one travels"))
    for k, (array, buffer, words) in enumerate(ways):
        y = 56 + 86 * k
        p.text(10, y - 8, words, "small")
        p.labelled(10, y, 184, 36, array, "memory")
        p.labelled(540, y, 140, 36, "cudaMalloc", "memory")
        if buffer:
            p.labelled(255, y, 165, 36, buffer, "memory")
            p.arrow(196, y + 12, 253, y + 12)
            p.arrow(253, y + 26, 196, y + 26)
        start = 422 if buffer else 196
        p.arrow(start, y + 12, 538, y + 12)
        p.arrow(538, y + 26, start, y + 26)
    return p.end()


DRAWN_HERE = {"00_first_program.svg": first_program, "01_device_query.svg": device_query,
              "02_round_trip.svg": round_trip}
# Small: pictures with times show those of the recorded run (common/recorded.h), others an example
# of their own size.
SMALL = ["--rows", "10", "--cols", "103", "--repeat", "2"]
LESSONS = {"lessons/03_elementwise": (SMALL, ["owners", "fusion"]),
           "lessons/04_timing": (SMALL, ["clock", "queue", "crossover"]),
           "lessons/05_launch_shapes": (["--n", "1003"], ["image"]),
           "lessons/06_coalescing": (["--n", "960"], ["sectors"]),
           "lessons/07_transpose": (SMALL, ["banks"])}


def build():
    """The folder of the programs, made now."""
    targets = ["//" + name.replace("/", ":") for name in LESSONS]
    subprocess.run(["bazel", "build", "--noshow_progress", "--config=cpu"] + targets, cwd=ROOT, check=True)
    return os.path.join(ROOT, "bazel-bin")


def draw_lessons(folder, programs):
    for lesson, (options, topics) in LESSONS.items():
        with tempfile.TemporaryDirectory() as drawn:
            name = os.path.basename(lesson)
            subprocess.run([os.path.join(programs, lesson)] + options + ["--plot", os.path.join(drawn, name + ".svg")],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
            for topic in topics:
                picture = "%s_%s.svg" % (name, topic)
                shutil.copyfile(os.path.join(drawn, picture), os.path.join(folder, picture))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default=HERE, help="where the pictures go (default: beside this script)")
    parser.add_argument("--programs", help="folder of programs that are built already, such as bazel-bin")
    asked = parser.parse_args()
    programs = asked.programs or build()
    for name, draw in DRAWN_HERE.items():
        with open(os.path.join(asked.folder, name), "w", encoding="utf-8") as f:
            f.write(draw())
    draw_lessons(asked.folder, programs)


if __name__ == "__main__":
    main()
