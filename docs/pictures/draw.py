#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the pages' pictures: draw.py [FOLDER], by default the one that it lies in.

Each is an SVG of its own that is readable on light and on dark pages.
"""
import os
import sys

STYLE = """<style>
text { font: 13px sans-serif; fill: #222; } .small { font-size: 11px; } .code { font-family: monospace; }
.box { fill: none; stroke: #222; } .memory { fill: #dbe7f6; stroke: #222; } .thread { fill: #bfe3c6; stroke: #222; }
.idle { fill: none; stroke: #999; stroke-dasharray: 2 2; } .arrow { stroke: #222; stroke-width: 1.5; marker-end: url(#tip); }
#tip path { fill: #222; }
@media (prefers-color-scheme: dark) {
text { fill: #eee; } .box { stroke: #ddd; } .memory { fill: #23405f; stroke: #ddd; } .thread { fill: #24593a; stroke: #ddd; }
.idle { stroke: #888; } .arrow { stroke: #ddd; } #tip path { fill: #ddd; }
}
</style>
<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>"""


class Picture:
    def __init__(self, width, height, title):
        self.parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">'
                      % (width, height, width, height), "<title>%s</title>" % title, STYLE]

    def box(self, x, y, width, height, kind="box"):
        self.parts.append('<rect class="%s" x="%g" y="%g" width="%g" height="%g"/>' % (kind, x, y, width, height))

    def text(self, x, y, words, kind="", anchor="start"):
        words = words.replace("&", "&amp;").replace("<", "&lt;")
        self.parts.append('<text class="%s" x="%g" y="%g" text-anchor="%s">%s</text>' % (kind, x, y, anchor, words))

    def arrow(self, x1, y1, x2, y2):
        self.parts.append('<line class="arrow" x1="%g" y1="%g" x2="%g" y2="%g"/>' % (x1, y1, x2, y2))

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
    p.arrow(530, 92, 530, 137)
    p.text(520, 118, "3. twice<<<3907, 256>>>", "code small", "end")
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
    p.text(450, 312, "elements 999,936 to 1,000,002, then 189", "small")
    p.text(450, 326, "threads that the guard sends away", "small")
    return p.end()


PICTURES = {"00_first_program.svg": first_program}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    for name, draw in PICTURES.items():
        with open(os.path.join(folder, name), "w") as f:
            f.write(draw())


if __name__ == "__main__":
    main()
