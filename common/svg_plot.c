/* SPDX-License-Identifier: Apache-2.0 */
/* Runs gnuplot between two unnamed temporary files, its script and its picture;
 * see svg_plot.h. */
#include "common/svg_plot.h"

#include <errno.h>
#include <math.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/svg_diagram.h"

extern char **environ;

static bool on_path(const char *program) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        char candidate[4096];
        size_t length = strcspn(path, ":");
        snprintf(candidate, sizeof candidate, "%.*s/%s", (int)length, path, program);
        if (access(candidate, X_OK) == 0) return true;
        path += length + (path[length] == ':');
    }
    return false;
}

/* A gnuplot string in single quotes, in which nothing is special but the quote
 * itself, written twice. (In double quotes gnuplot would run `commands`.) */
static void write_string(FILE *script, const char *before, const char *text, const char *after) {
    fprintf(script, "%s'", before);
    for (; *text != '\0'; text++) {
        if (*text == '\'') fputc('\'', script);
        fputc((unsigned char)*text < ' ' ? ' ' : *text, script);
    }
    fprintf(script, "'%s", after);
}

/* The smallest and the largest x; low > high if there is none. */
static void find_range(size_t curve_count, const PlotCurve *curves, double *low, double *high) {
    *low = INFINITY, *high = -INFINITY;
    for (size_t i = 0; i < curve_count; i++) {
        for (size_t k = 0; k < curves[i].n; k++) {
            *low = fmin(*low, curves[i].x[k]);
            *high = fmax(*high, curves[i].x[k]);
        }
    }
}

/* From 0 on, or a factor of 2 beyond the points on both sides: one point is a range too. */
static void write_x_range(FILE *script, bool linear, size_t curve_count, const PlotCurve *curves) {
    double low, high;
    find_range(curve_count, curves, &low, &high);
    if (linear && high > 0) fprintf(script, "set xrange [0:%.17g]\n", 1.02 * high);
    else if (low > 0 && low <= high)
        fprintf(script, "set xrange [%.17g:%.17g]\n", low / 2, high * 2);
}

/* Dashes and points differ from curve to curve too: a print without colour can be read. */
static void write_curves(FILE *script, size_t curve_count, const PlotCurve *curves) {
    static const char *const colours[] = {"#c05f1c", "#a05fc0", "#3a7fc8", "#2f8f50"};
    for (size_t i = 0; i < curve_count; i++) {
        fprintf(script, "%s '-' using 1:2 with linespoints lw 2 dt %zu pt %zu lc rgb '%s'",
                i == 0 ? "plot" : "", i + 1, i + 4, colours[i % 4]);
        write_string(script, " title ", curves[i].title, i + 1 < curve_count ? "," : "\n");
    }
    for (size_t i = 0; i < curve_count; i++) {
        for (size_t k = 0; k < curves[i].n; k++) {
            if (isnan(curves[i].y[k])) fprintf(script, "%.17g nan\n", curves[i].x[k]);
            else fprintf(script, "%.17g %.17g\n", curves[i].x[k], curves[i].y[k]);
        }
        fprintf(script, "e\n");
    }
}

/* Every decade of a time in milliseconds, under the unit that one reads it in. */
static const char TIMES[] =
    "'1 ns' 1e-6, '10 ns' 1e-5, '100 ns' 1e-4, '1 us' 1e-3, '10 us' 0.01, "
    "'100 us' 0.1, '1 ms' 1, '10 ms' 10, '100 ms' 100, '1 s' 1e3, "
    "'10 s' 1e4, '100 s' 1e5";

static void write_script(FILE *script, const PlotText *text, size_t curve_count,
                         const PlotCurve *curves) {
    write_string(script, "set title ", text->title, " noenhanced\n");
    write_string(script, "set xlabel ", text->x_label, " noenhanced\n");
    write_string(script, "set ylabel ", text->y_label, " noenhanced\n");
    fprintf(script,
            "set terminal svg size 800,560 font 'sans,13'\n"
            "set logscale %s\n%sset ytics (%s)\n"
            "set grid\nset key above height 1 noenhanced\nset datafile missing 'nan'\n",
            text->linear_x ? "y" : "xy", text->linear_x ? "" : "set format x '10^{%L}'\n", TIMES);
    if (text->mark_x > 0) {
        fprintf(script,
                "set arrow from first %.17g, graph 0 to first %.17g, graph 1 nohead dt 3 "
                "lc rgb '#777777'\n",
                text->mark_x, text->mark_x);
        write_string(script, "set label ", text->mark, " noenhanced");
        fprintf(script, " at first %.17g, graph 0.03 offset 0.5,0\n", text->mark_x);
    }
    write_x_range(script, text->linear_x, curve_count, curves);
    write_curves(script, curve_count, curves);
}

/* gnuplot's exit status, or -1. Its complaints stay visible on stderr. */
static int run_gnuplot(FILE *script, FILE *picture) {
    char program[] = "gnuplot", *arguments[] = {program, NULL};
    posix_spawn_file_actions_t actions;
    pid_t process = 0;
    int status = -1;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_adddup2(&actions, fileno(script), STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, fileno(picture), STDOUT_FILENO);
    int failed = posix_spawnp(&process, program, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (failed != 0) return -1;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The whole file as a string to be freed; null if it is empty or cannot be read. */
static char *read_all(FILE *file) {
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    char *text = size > 0 ? malloc((size_t)size + 1) : NULL;
    if (text == NULL) return NULL;
    rewind(file);
    size_t got = fread(text, 1, (size_t)size, file);
    text[got] = '\0';
    return text;
}

/* gnuplot's picture with our title and style behind its first tag, to be freed; null if it is no
 * SVG or memory is short. */
static char *styled(const char *svg, const char *title) {
    char *text = NULL;
    size_t size = 0;
    const char *tag = strstr(svg, "<svg"), *end = tag == NULL ? NULL : strchr(tag, '>');
    FILE *out = end == NULL ? NULL : open_memstream(&text, &size);
    if (out == NULL) return NULL;
    fprintf(out, "%.*s\n<title>", (int)(end + 1 - svg), svg);
    svg_write_escaped(out, title);
    fputs("</title>\n" SVG_STYLE, out);
    fputs(end + 1, out);
    bool whole = ferror(out) == 0;
    if (fclose(out) == 0 && whole) return text;
    free(text);
    return NULL;
}

/* Returns gnuplot's picture, to be freed; null with one line in why. */
static char *draw_through(FILE *script, FILE *picture, char *why, size_t size) {
    fflush(script);
    rewind(script);
    int status = run_gnuplot(script, picture);
    char *svg = status == 0 ? read_all(picture) : NULL;
    if (svg == NULL) snprintf(why, size, "gnuplot failed with status %d", status);
    return svg;
}

Picture svg_plot_draw(const PlotText *text, size_t curve_count, const PlotCurve *curves) {
    Picture drawn = {.svg = NULL};
    for (size_t i = 0; i < curve_count; i++) {
        if (curves[i].n > 0) continue;
        snprintf(drawn.why, sizeof drawn.why, "\"%s\" has no points", curves[i].title);
        return drawn;
    }
    drawn.left_out = !on_path("gnuplot");
    if (drawn.left_out) {
        snprintf(drawn.why, sizeof drawn.why,
                 "gnuplot is not installed (sudo apt-get install gnuplot-nox)");
        return drawn;
    }
    FILE *script = tmpfile(), *picture = tmpfile();
    if (script == NULL || picture == NULL) {
        snprintf(drawn.why, sizeof drawn.why, "no temporary file: %s", strerror(errno));
    } else {
        write_script(script, text, curve_count, curves);
        char *svg = draw_through(script, picture, drawn.why, sizeof drawn.why);
        if (svg != NULL) drawn.svg = styled(svg, text->title);
        if (svg != NULL && drawn.svg == NULL)
            snprintf(drawn.why, sizeof drawn.why, "gnuplot's picture is no SVG");
        free(svg);
    }
    if (script != NULL) fclose(script);
    if (picture != NULL) fclose(picture);
    return drawn;
}
