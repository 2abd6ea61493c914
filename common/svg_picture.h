/* SPDX-License-Identifier: Apache-2.0 */
/* What all pictures share: how one is handed on, and the style that makes it readable on light
 * and on dark pages. docs/pictures/draw.py reads the style from this file. */
#ifndef COMMON_SVG_PICTURE_H_
#define COMMON_SVG_PICTURE_H_

#include <stdbool.h>

/* A picture, or why there is none. */
typedef struct Picture {
    char *svg;     /* the whole file as text, to be freed; null: it was not drawn */
    bool left_out; /* no error: the program that draws such pictures is not installed */
    char why[256]; /* one line, where svg is null */
} Picture;

/* Between the title and the first shape. gnuplot names "black" what CSS here makes light on a dark
 * page. Colours of curves are not changed: they have a contrast of 4 to both pages. */
#define SVG_STYLE                                                                                                \
    "<style>\n"                                                                                                  \
    ".page { fill: #fff; }\n"                                                                                    \
    "text { font: 13px sans-serif; fill: #222; } .small { font-size: 11px; }\n"                                  \
    ".code { font-family: monospace; } .strong { font-weight: bold; }\n"                                         \
    ".box { fill: none; stroke: #222; } .memory { fill: #dbe7f6; stroke: #222; }\n"                              \
    ".thread { fill: #bfe3c6; stroke: #222; } .used { fill: #4f9a5f; }\n"                                        \
    ".idle { fill: #e8e8e8; stroke: #888; stroke-dasharray: 2 2; }\n"                                            \
    ".line { fill: none; stroke: #222; stroke-width: 1.5; }\n"                                                   \
    ".dashed { stroke: #222; stroke-dasharray: 5 4; }\n"                                                         \
    ".arrow { stroke: #222; stroke-width: 1.5; marker-end: url(#tip); }\n"                                       \
    "#tip path { fill: #222; }\n"                                                                                \
    "@media (prefers-color-scheme: dark) {\n"                                                                    \
    ".page { fill: #0d1117; } text { fill: #eee; }\n"                                                            \
    ".box { stroke: #ddd; } .memory { fill: #23405f; stroke: #ddd; }\n"                                          \
    ".thread { fill: #24593a; stroke: #ddd; } .used { fill: #74c586; } .idle { fill: #2b3036; stroke: #999; }\n" \
    ".line, .dashed, .arrow { stroke: #ddd; } #tip path { fill: #ddd; }\n"                                       \
    "[stroke=black] { stroke: #ddd; } [color=black] { color: #ddd; }\n"                                          \
    "}\n"                                                                                                        \
    "</style>\n"                                                                                                 \
    "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" "                      \
    "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\"/></marker></defs>\n"                           \
    "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n"

#endif /* COMMON_SVG_PICTURE_H_ */
