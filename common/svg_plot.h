/* SPDX-License-Identifier: Apache-2.0 */
/* Curves drawn by gnuplot into an SVG file, or a clear reason why not. The file
 * appears whole or not at all. */
#ifndef COMMON_SVG_PLOT_H_
#define COMMON_SVG_PLOT_H_

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* One curve: n points, where NaN in y leaves a gap. */
typedef struct {
    const char *title;
    size_t n;
    const double *x;
    const double *y;
} PlotCurve;

/* Title and axis texts; both axes are logarithmic. */
typedef struct {
    const char *title;
    const char *x_label;
    const char *y_label;
} PlotText;

/* True if gnuplot is on PATH; else false, with one line in why that names path,
 * the file that was asked for. To be called before long work. */
bool svg_plot_possible(const char *path, char *why, size_t size);

/* Draws the curves into path. False on failure, with one line in why. */
bool svg_plot_write(const char *path, const PlotText *text, size_t curve_count,
                    const PlotCurve *curves, char *why, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* COMMON_SVG_PLOT_H_ */
