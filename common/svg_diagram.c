/* SPDX-License-Identifier: Apache-2.0 */
/* Writes SVG into memory; see svg_diagram.h. */
#include "common/svg_diagram.h"

#include <stdlib.h>
#include <string.h>

/* The bytes of the UTF-8 character at `text`; 0 if there is none that XML may hold. */
static size_t utf8_length(const unsigned char *text) {
    if (text[0] < 0x80) return 1;
    size_t length = text[0] < 0xC2   ? 0
                    : text[0] < 0xE0 ? 2
                    : text[0] < 0xF0 ? 3
                    : text[0] < 0xF5 ? 4
                                     : 0;
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0; /* the final 0 too: never read beyond it */
    }
    if (text[0] == 0xE0 && text[1] < 0xA0) return 0;                    /* longer than need be */
    if (text[0] == 0xED && text[1] > 0x9F) return 0;                    /* half of a UTF-16 pair */
    if (text[0] == 0xEF && text[1] == 0xBF && text[2] > 0xBD) return 0; /* U+FFFE, U+FFFF */
    if (text[0] == 0xF0 && text[1] < 0x90) return 0;
    if (text[0] == 0xF4 && text[1] > 0x8F) return 0; /* above U+10FFFF */
    return length;
}

void svg_write_escaped(FILE *out, const char *text) {
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        size_t length = utf8_length(c);
        if (length == 0) fputc('?', out);
        else if (*c == '&') fputs("&amp;", out);
        else if (*c == '<') fputs("&lt;", out);
        else if (*c == '>') fputs("&gt;", out);
        else if (*c == '"') fputs("&quot;", out);
        else if (*c < ' ' || *c == 0x7F) fputc(' ', out);
        else fwrite(c, 1, length, out);
        c += length > 0 ? length : 1;
    }
}

void svg_diagram_begin(SvgDiagram *d, double width, double height, const char *title) {
    *d = (SvgDiagram){.width = width, .height = height};
    d->out = open_memstream(&d->text, &d->size);
    if (d->out == NULL) return;
    fprintf(d->out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %g %g\" width=\"%g\" "
            "height=\"%g\" role=\"img\">\n<title>",
            width, height, width, height);
    svg_write_escaped(d->out, title);
    fputs("</title>\n" SVG_STYLE, d->out);
}

/* True if there is a diagram to draw in and the point lies in it; NaN lies nowhere. */
static bool can_draw(SvgDiagram *d, double x, double y) {
    if (!(x >= 0 && x <= d->width && y >= 0 && y <= d->height)) d->outside = true;
    return d->out != NULL && !d->outside;
}

void svg_box(SvgDiagram *d, double x, double y, double width, double height, const char *kind) {
    if (!(width >= 0 && height >= 0)) d->outside = true;
    if (!can_draw(d, x, y) || !can_draw(d, x + width, y + height)) return;
    fprintf(d->out, "<rect class=\"%s\" x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\"/>\n", kind, x,
            y, width, height);
}

void svg_line(SvgDiagram *d, double x1, double y1, double x2, double y2, const char *kind) {
    if (!can_draw(d, x1, y1) || !can_draw(d, x2, y2)) return;
    fprintf(d->out, "<line class=\"%s\" x1=\"%g\" y1=\"%g\" x2=\"%g\" y2=\"%g\"/>\n", kind, x1, y1,
            x2, y2);
}

void svg_arrow(SvgDiagram *d, double x1, double y1, double x2, double y2) {
    svg_line(d, x1, y1, x2, y2, "arrow");
}

void svg_text(SvgDiagram *d, double x, double y, const char *text, const char *kind,
              SvgAnchor anchor) {
    static const char *const anchors[] = {"start", "middle", "end"};
    if (!can_draw(d, x, y)) return;
    fprintf(d->out, "<text class=\"%s\" x=\"%g\" y=\"%g\" text-anchor=\"%s\">", kind, x, y,
            anchors[anchor]);
    svg_write_escaped(d->out, text);
    fputs("</text>\n", d->out);
}

Picture svg_diagram_end(SvgDiagram *d) {
    Picture picture = {.svg = NULL};
    bool whole = d->out != NULL && fputs("</svg>\n", d->out) >= 0 && ferror(d->out) == 0;
    if (d->out != NULL && fclose(d->out) != 0) whole = false;
    if (whole && !d->outside) {
        picture.svg = d->text;
    } else {
        free(d->text);
        snprintf(picture.why, sizeof picture.why, "%s",
                 d->outside ? "something lies outside of the picture, or is not a number"
                            : "no host memory for the picture");
    }
    *d = (SvgDiagram){.out = NULL};
    return picture;
}
