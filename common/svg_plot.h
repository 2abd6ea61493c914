/* SPDX-License-Identifier: Apache-2.0 */
/* Curves drawn by gnuplot as SVG, or a clear reason why not. */
#ifndef COMMON_SVG_PLOT_H_
#define COMMON_SVG_PLOT_H_

#include <stdbool.h>
#include <stddef.h>

#include "common/svg_picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* One curve: n points, y in milliseconds, where NaN leaves a gap. */
typedef struct {
    const char *title;
    size_t n;
    const double *x;
    const double *y;
} PlotCurve;

/* Title and axis texts. The y axis is logarithmic, and the x axis too unless linear_x. */
typedef struct {
    const char *title;
    const char *x_label;
    const char *y_label;
    bool linear_x;
    double mark_x; /* a line stands there, and `mark` beside it; 0: none */
    const char *mark;
} PlotText;

/* Draws the curves by gnuplot, in the style of svg_picture.h. Returns the picture; one that was
 * left out if gnuplot is not on PATH; none if it failed, or if a curve has no points. */
Picture svg_plot_draw(const PlotText *text, size_t curve_count, const PlotCurve *curves);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_SVG_PLOT_H_ */
