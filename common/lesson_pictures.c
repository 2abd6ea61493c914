/* SPDX-License-Identifier: Apache-2.0 */
/* See lesson_pictures.h. */
#include "common/lesson_pictures.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/svg_diagram.h"
#include "common/svg_plot.h"
#include "common/text.h"

/* --- An image in blocks --- */

static size_t smaller(size_t a, size_t b) { return a < b ? a : b; }

Picture picture_image(const ImagePicture *p) {
    SvgDiagram d;
    const size_t across = (p->cols + p->block_x - 1) / p->block_x;
    const size_t down = (p->rows + p->block_y - 1) / p->block_y;
    const double cell = 560.0 / (double)(across * p->block_x), left = 70, top = 66;
    const double width = cell * (double)p->block_x, height = cell * (double)p->block_y;
    const size_t idle = across * down * p->block_x * p->block_y - p->rows * p->cols;
    svg_diagram_begin(&d, 690, top + height * (double)down + 50,
                      text_format("%zu x %zu pixels under blocks of %zu x %zu threads", p->rows,
                                  p->cols, p->block_x, p->block_y));
    svg_text(&d, 10, 22,
             text_format("%zu rows x %zu columns, blocks of %zu x %zu threads", p->rows, p->cols,
                         p->block_x, p->block_y),
             "strong", SVG_START);
    svg_text(&d, left, 44, "threadIdx.x and the columns run this way", "small", SVG_START);
    svg_arrow(&d, left + 230, 40, left + 330, 40);
    for (size_t y = 0; y < down; y++) {
        for (size_t x = 0; x < across; x++) {
            const double x0 = left + width * (double)x, y0 = top + height * (double)y;
            const size_t cols = smaller(p->block_x, p->cols - x * p->block_x);
            const size_t rows = smaller(p->block_y, p->rows - y * p->block_y);
            svg_box(&d, x0, y0, width, height, "idle");
            svg_box(&d, x0, y0, cell * (double)cols, cell * (double)rows, "thread");
            svg_text(&d, x0 + 4, y0 + 14, text_format("(%zu, %zu)", x, y), "small", SVG_START);
        }
        svg_text(&d, left - 8, top + height * (double)y + 14,
                 text_format("row %zu", y * p->block_y), "small", SVG_END);
    }
    svg_text(&d, 10, top + height * (double)down + 30,
             text_format("Grey: %s that the guard ends. (x, y): blockIdx.",
                         text_counted(idle, "thread")),
             "", SVG_START);
    return svg_diagram_end(&d);
}

/* --- Sectors --- */

enum { SECTORS_SHOWN = 32, SECTOR = 32, REQUEST_LANES = 32 };
static const double SECTOR_WIDTH = 15, STRIP_LEFT = 160, STRIP_HEIGHT = 46;

/* Sectors that a lane touches are grey, and what it uses of them is green. */
static void draw_strip(SvgDiagram *d, const SectorStrip *s, double y) {
    const double shown = SECTORS_SHOWN * SECTOR, byte = SECTOR_WIDTH / SECTOR;
    svg_text(d, 10, y + 13, s->pattern, "", SVG_START);
    svg_text(d, 10, y + 28, text_format("%s", text_counted(s->sectors, "sector")), "small",
             SVG_START);
    svg_box(d, STRIP_LEFT, y, SECTOR_WIDTH * SECTORS_SHOWN, 18, "box");
    for (size_t lane = 0; lane < REQUEST_LANES; lane++) {
        const double begin = (double)(s->first + lane * s->step);
        const double first = floor(begin / SECTOR) * SECTOR;
        const double end = begin + (double)s->width;
        if (end > shown) break;
        svg_box(d, STRIP_LEFT + first * byte, y, SECTOR_WIDTH, 18, "idle");
        if (end > first + SECTOR)
            svg_box(d, STRIP_LEFT + (first + SECTOR) * byte, y, SECTOR_WIDTH, 18, "idle");
    }
    for (size_t lane = 0; lane < REQUEST_LANES; lane++) {
        const double begin = (double)(s->first + lane * s->step);
        if (begin + (double)s->width > shown) break;
        svg_box(d, STRIP_LEFT + begin * byte, y + 2, byte * (double)s->width, 14, "used");
    }
}

Picture picture_sectors(const SectorsPicture *p) {
    SvgDiagram d;
    svg_diagram_begin(&d, 690, 60 + STRIP_HEIGHT * (double)p->count,
                      "The sectors of memory that a warp's 32 lanes touch, for each pattern");
    svg_text(&d, 10, 22, "One request of a warp: used (green) and what comes with it (grey)",
             "strong", SVG_START);
    svg_text(&d, STRIP_LEFT, 44, "memory, a cell is a sector of 32 bytes; 32 of them are shown",
             "small", SVG_START);
    for (size_t i = 0; i < p->count && i < SECTOR_STRIPS; i++)
        draw_strip(&d, &p->strips[i], 54 + STRIP_HEIGHT * (double)i);
    return svg_diagram_end(&d);
}

/* --- Banks --- */

enum { BANKS = 32, TILE_ROWS = 16, TILE_COLUMNS = 16 };
static const double CELL = 18;

/* Rows of a tile, `width` floats apart: each cell with its bank. */
static void draw_tile(SvgDiagram *d, double left, size_t width, size_t column) {
    svg_text(d, left, 44, text_format("float tile[32][%zu]: the banks of its rows 0 to 15", width),
             "small", SVG_START);
    for (size_t row = 0; row < TILE_ROWS; row++) {
        for (size_t col = 0; col < TILE_COLUMNS; col++) {
            const double x = left + CELL * (double)col, y = 52 + CELL * (double)row;
            svg_box(d, x, y, CELL, CELL, col == column ? "thread" : "box");
            svg_text(d, x + CELL / 2, y + 13, text_format("%zu", (row * width + col) % BANKS),
                     "small", SVG_MIDDLE);
        }
    }
}

Picture picture_banks(size_t column) {
    SvgDiagram d;
    svg_diagram_begin(&d, 690, 388, "Banks of a tile of 32 columns, and of one of 33");
    svg_text(&d, 10, 22, "A warp reads the green column: how many banks serve it?", "strong",
             SVG_START);
    draw_tile(&d, 10, BANKS, column);
    draw_tile(&d, 360, BANKS + 1, column);
    svg_text(&d, 10, 366, "one bank for all: 32 steps", "", SVG_START);
    svg_text(&d, 360, 366, "another bank in each row: 1 step", "", SVG_START);
    return svg_diagram_end(&d);
}

/* --- Owners and guard --- */

enum { WARP = 32, BLOCKS_SHOWN = 4 };
static const double BLOCK_WIDTH = 150, BLOCK_GAP = 22;

/* The cells of a block's warps; the threads from `owners` on have no element. */
static void draw_threads(SvgDiagram *d, double x, double y, size_t block, size_t owners) {
    const double width = BLOCK_WIDTH / (double)block;
    for (size_t first = 0; first < block; first += WARP) {
        const size_t last = block - first < WARP ? block : first + WARP;
        const size_t end = owners < first ? first : owners < last ? owners : last;
        if (end < last)
            svg_box(d, x + width * (double)end, y, width * (double)(last - end), 30, "idle");
        if (end > first)
            svg_box(d, x + width * (double)first, y, width * (double)(end - first), 30, "thread");
    }
}

/* One block over its elements. */
static void draw_block(SvgDiagram *d, double x, const OwnersPicture *o, size_t number) {
    const size_t first = number * o->block, left = o->n - first;
    const size_t owners = left < o->block ? left : o->block;
    const double width = BLOCK_WIDTH * (double)owners / (double)o->block;
    svg_text(d, x, 50, text_format("block %s", text_count(number)), "", SVG_START);
    draw_threads(d, x, 58, o->block, owners);
    svg_arrow(d, x + width / 2, 90, x + width / 2, 128);
    svg_box(d, x, 130, width, 30, "memory");
    svg_text(d, x, 176, text_format("%s to %s", text_count(first), text_count(first + owners - 1)),
             "small", SVG_START);
}

/* What the grey threads are, and what they would do. */
static void draw_guard(SvgDiagram *d, const OwnersPicture *o, size_t blocks) {
    const size_t idle = blocks * o->block - o->n;
    if (idle == 0) {
        svg_text(d, 10, 224, "Each thread has an element: the guard has nothing to do.", "",
                 SVG_START);
        return;
    }
    svg_text(
        d, 10, 224,
        text_format("Grey: %s of block %s without an element. The guard, if (i < n), ends them.",
                    text_counted(idle, "thread"), text_count(blocks - 1)),
        "", SVG_START);
    svg_text(
        d, 10, 244,
        text_format("Floats written behind the end in this run: %s with the guard, %s without it.",
                    text_count(o->with_guard), text_count(o->without_guard)),
        "", SVG_START);
}

Picture picture_owners(const OwnersPicture *o) {
    SvgDiagram d;
    const size_t blocks = o->n / o->block + (o->n % o->block > 0);
    const size_t shown = blocks < BLOCKS_SHOWN ? blocks : BLOCKS_SHOWN;
    svg_diagram_begin(&d, 690, 256,
                      text_format("%s elements and the threads that own them", text_count(o->n)));
    svg_text(&d, 10, 22,
             text_format("%s elements, %s of %s threads; a cell is a warp of %d threads",
                         text_count(o->n), text_counted(blocks, "block"), text_count(o->block),
                         WARP),
             "strong", SVG_START);
    for (size_t k = 0; k < shown; k++) {
        const double x = 10 + (double)k * (BLOCK_WIDTH + BLOCK_GAP);
        draw_block(&d, x, o, k < shown / 2 ? k : blocks - shown + k);
        if (k + 1 == shown / 2 && blocks > shown)
            svg_text(&d, x + BLOCK_WIDTH + BLOCK_GAP / 2, 78, "...", "", SVG_MIDDLE);
    }
    svg_text(&d, 10, 200,
             text_format("thread t of block b has element i = b * %s + t", text_count(o->block)),
             "code", SVG_START);
    draw_guard(&d, o, blocks);
    return svg_diagram_end(&d);
}

/* --- Fusion's data flow --- */

enum { FLOAT_BYTES = 4 };

static void draw_node(SvgDiagram *d, double x, double y, const char *text, const char *kind) {
    svg_box(d, x, y, 110, 32, kind);
    svg_text(d, x + 55, y + 21, text, "code", SVG_MIDDLE);
}

/* An arrow that a float goes along for each element, `dx` beside which that is said. */
static void draw_flow(SvgDiagram *d, double x1, double y1, double x2, double y2, double dx) {
    svg_arrow(d, x1, y1, x2, y2);
    svg_text(d, (x1 + x2) / 2 + dx, (y1 + y2) / 2 + 4, text_format("%d bytes", FLOAT_BYTES),
             "small", dx < 0 ? SVG_END : SVG_START);
}

/* Heading of a form that moves `floats` floats for each element. */
static void draw_form(SvgDiagram *d, double y, const char *form, int floats, size_t n,
                      const char *time) {
    const double bytes = (double)(floats * FLOAT_BYTES);
    svg_text(d, 10, y,
             text_format("%s: %s an element, %s", form, text_bytes(bytes),
                         text_bytes(bytes * (double)n)),
             "strong", SVG_START);
    if (time != NULL) svg_text(d, 650, y, time, "strong", SVG_END);
}

static void draw_two_steps(SvgDiagram *d) {
    draw_node(d, 10, 60, "x", "memory");
    draw_node(d, 275, 60, "t = x**2", "memory");
    draw_node(d, 540, 60, "result", "memory");
    draw_node(d, 143, 130, "x * x", "thread");
    draw_node(d, 408, 130, "t * x", "thread");
    draw_flow(d, 90, 92, 175, 128, 12);
    draw_flow(d, 221, 130, 300, 94, -12);
    draw_flow(d, 355, 92, 440, 128, 12);
    draw_flow(d, 486, 130, 565, 94, -12);
    svg_line(d, 40, 92, 40, 190, "line"); /* x again, for the second kernel */
    svg_line(d, 40, 190, 463, 190, "line");
    svg_arrow(d, 463, 190, 463, 164);
    svg_text(d, 250, 184, text_format("%d bytes", FLOAT_BYTES), "small", SVG_MIDDLE);
}

static void draw_fused(SvgDiagram *d) {
    draw_node(d, 143, 260, "x", "memory");
    draw_node(d, 408, 260, "result", "memory");
    draw_node(d, 275, 330, "x * x * x", "thread");
    draw_flow(d, 222, 292, 307, 328, 12);
    draw_flow(d, 353, 330, 432, 294, -12);
    svg_text(d, 330, 380, "x**2 stays in a register", "small", SVG_MIDDLE);
}

Picture picture_fusion(const FusionPicture *f) {
    SvgDiagram d;
    const bool timed = f->two_steps != NULL && f->fused != NULL;
    svg_diagram_begin(&d, 660, 392, "The data flow of x**2 * x as two operators and as one kernel");
    svg_text(&d, 10, 22,
             text_format("x**2 * x on %s floats: memory (blue) and kernels (green)%s%s",
                         text_count(f->n), timed ? "; times: " : "", timed ? f->device : ""),
             "", SVG_START);
    draw_form(&d, 46, "Two operators", 5, f->n, timed ? f->two_steps : NULL);
    draw_two_steps(&d);
    draw_form(&d, 240, "One fused kernel", 2, f->n, timed ? f->fused : NULL);
    draw_fused(&d);
    return svg_diagram_end(&d);
}

/* --- The article's clock --- */

enum { STEPS = 5 };
static const double STEP_X[STEPS + 1] = {150, 272, 394, 516, 628, 750};
static const double ROW_TOP = 84, ROW_HEIGHT = 60;

static void draw_call(SvgDiagram *d, double y, const ClockRow *row, bool timed) {
    static const char *const names[STEPS] = {"driver, context", "allocate", "load", "launch",
                                             "kernel runs"};
    const double ms[STEPS] = {row->context_ms, row->allocate_ms, row->load_ms, row->launch_ms,
                              row->wait_ms};
    svg_text(d, 10, y + 25, row->name, "", SVG_START);
    for (int i = 0; i < STEPS; i++) {
        const double middle = (STEP_X[i] + STEP_X[i + 1]) / 2;
        svg_box(d, STEP_X[i], y, STEP_X[i + 1] - STEP_X[i], 42,
                i + 1 < STEPS ? "memory" : "thread");
        svg_text(d, middle, timed ? y + 17 : y + 26, names[i], "", SVG_MIDDLE);
        if (timed)
            svg_text(d, middle, y + 34, isfinite(ms[i]) ? text_ms(ms[i]) : "-", "small",
                     SVG_MIDDLE);
    }
}

/* Where the article's clock begins and ends: from before the allocation to behind the launch. */
static void draw_article(SvgDiagram *d, double bottom) {
    const double from = STEP_X[1], to = STEP_X[STEPS - 1], y = ROW_TOP - 26;
    svg_text(d, (from + to) / 2, y - 6, "the article's clock", "strong", SVG_MIDDLE);
    svg_arrow(d, (from + to) / 2, y, from + 3, y);
    svg_arrow(d, (from + to) / 2, y, to - 3, y);
    svg_line(d, from, y - 10, from, bottom, "dashed");
    svg_line(d, to, y - 10, to, bottom, "dashed");
    svg_text(d, from - 6, y + 4, "starts", "small", SVG_END);
    svg_text(d, to + 6, y + 4, "stops without waiting", "small", SVG_START);
}

Picture picture_clock(const ClockPicture *c) {
    SvgDiagram d;
    const double bottom = ROW_TOP + ROW_HEIGHT * (double)c->count;
    svg_diagram_begin(&d, 760, bottom + 30, "What the article's clock holds of a call");
    const char *n = c->n > 0 ? text_format(", n = %s", text_count(c->n)) : "";
    svg_text(&d, 10, 22,
             c->device == NULL ? "The parts of a call of x + x; only a GPU can show the times"
                               : text_format("x + x%s, %s", n, c->device),
             "strong", SVG_START);
    for (size_t i = 0; i < c->count; i++)
        draw_call(&d, ROW_TOP + ROW_HEIGHT * (double)i, &c->rows[i], c->device != NULL);
    draw_article(&d, bottom - 8);
    svg_text(&d, 10, bottom + 14,
             c->device == NULL ? "The widths say nothing about the times."
                               : "The widths say nothing about the times. -: not part of this "
                                 "call, or not measured.",
             "small", SVG_START);
    return svg_diagram_end(&d);
}

/* --- Curves --- */

static int compare_times(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The median of a copy; NaN without memory for one. */
static double median_of(const double *ms, size_t count) {
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL) return NAN;
    memcpy(sorted, ms, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, compare_times);
    double median = (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
    free(sorted);
    return median;
}

size_t queue_points(const double *launch_ms, size_t launches, QueuePoint points[QUEUE_POINTS]) {
    const size_t count = launches < QUEUE_POINTS ? launches : QUEUE_POINTS;
    for (size_t k = 0; k < count; k++) {
        const size_t begin = launches * k / count, end = launches * (k + 1) / count;
        points[k].launch = (double)(begin + 1 + end) / 2;
        points[k].ms = median_of(launch_ms + begin, end - begin);
    }
    return count;
}

static const char *title_of(const char *what, const char *device) {
    return device == NULL ? text_format("%s on the CPU device (says nothing about a GPU)", what)
                          : text_format("%s, %s", what, device);
}

Picture picture_queue(const QueuePicture *q) {
    double launch[QUEUE_POINTS], ms[QUEUE_POINTS];
    const size_t count = q->count < QUEUE_POINTS ? q->count : QUEUE_POINTS;
    for (size_t i = 0; i < count; i++) {
        launch[i] = q->points[i].launch;
        ms[i] = q->points[i].ms;
    }
    const double ends[2] = {0, count > 0 ? launch[count - 1] : 1};
    const double kernel_ms[2] = {q->kernel_ms, q->kernel_ms};
    const PlotText text = {.title = title_of("The launch queue", q->device),
                           .x_label = text_format("number of the launch of x + x, n = %s",
                                                  text_count(q->n)),
                           .y_label = "time",
                           .linear_x = true};
    const PlotCurve curves[2] = {{"one launch, host clock, medians", count, launch, ms},
                                 {"the kernel, by events", 2, ends, kernel_ms}};
    return svg_plot_draw(&text, 2, curves);
}

Picture picture_crossover(const CrossoverPicture *c) {
    PlotCurve curves[CROSSOVER_WAYS];
    const PlotText text = {.title = title_of("Time of x + x", c->device),
                           .x_label = "n (elements)",
                           .y_label = "median time",
                           .mark_x = isnan(c->wins_from) ? 0 : c->wins_from,
                           .mark = "from here on the GPU wins, the data there"};
    for (int way = 0; way < CROSSOVER_WAYS; way++)
        curves[way] = (PlotCurve){c->ways[way], c->count, c->n, c->ms[way]};
    return svg_plot_draw(&text, CROSSOVER_WAYS, curves);
}
