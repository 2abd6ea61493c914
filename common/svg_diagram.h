/* SPDX-License-Identifier: Apache-2.0 */
/* Diagrams as SVG: boxes, lines, arrows and text, in the style of svg_picture.h.
 *
 *     SvgDiagram d;
 *     svg_diagram_begin(&d, 640, 330, "Host and device");
 *     svg_box(&d, 10, 30, 200, 170, "memory");
 *     svg_text(&d, 20, 22, "host", "small", SVG_START);
 *     Picture picture = svg_diagram_end(&d);
 *
 * Coordinates are pixels from the upper left corner. A kind is a class of the style, or several
 * with blanks between; "" is the plain one. */
#ifndef COMMON_SVG_DIAGRAM_H_
#define COMMON_SVG_DIAGRAM_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "common/svg_picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Filled in by svg_diagram_begin. */
typedef struct SvgDiagram {
    FILE *out; /* null: memory was short */
    char *text;
    size_t size;
    double width, height;
    bool outside; /* something was not within the picture, or not a number */
} SvgDiagram;

typedef enum SvgAnchor { SVG_START, SVG_MIDDLE, SVG_END } SvgAnchor;

/* Starts a picture of that size. The title is for those who cannot see it. */
void svg_diagram_begin(SvgDiagram *diagram, double width, double height, const char *title);

void svg_box(SvgDiagram *diagram, double x, double y, double width, double height,
             const char *kind);
void svg_line(SvgDiagram *diagram, double x1, double y1, double x2, double y2, const char *kind);

/* A line of kind "arrow", with its tip at (x2, y2). */
void svg_arrow(SvgDiagram *diagram, double x1, double y1, double x2, double y2);

/* Text whose base line begins, is centred or ends at (x, y). Any text: what SVG gives a meaning
 * is escaped, a control character becomes a blank, and what is no UTF-8 a question mark. */
void svg_text(SvgDiagram *diagram, double x, double y, const char *text, const char *kind,
              SvgAnchor anchor);

/* Returns the finished picture; none if memory was short or something was drawn outside of it.
 * The diagram is at its end and holds nothing any more. */
Picture svg_diagram_end(SvgDiagram *diagram);

/* Writes `text` escaped as svg_text does, for other makers of SVG. */
void svg_write_escaped(FILE *out, const char *text);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_SVG_DIAGRAM_H_ */
