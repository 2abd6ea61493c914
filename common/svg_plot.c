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

#include "common/output_file.h"

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

bool svg_plot_possible(const char *path, char *why, size_t size) {
    if (on_path("gnuplot")) return true;
    snprintf(why, size,
             "--plot %s needs gnuplot, which is not installed: sudo apt-get install gnuplot-nox, "
             "or leave --plot out",
             path);
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

/* A factor of 2 beyond the points on both sides, so that one point is a range too. */
static void write_x_range(FILE *script, size_t curve_count, const PlotCurve *curves) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < curve_count; i++) {
        for (size_t k = 0; k < curves[i].n; k++) {
            low = fmin(low, curves[i].x[k]);
            high = fmax(high, curves[i].x[k]);
        }
    }
    if (low > 0 && low <= high) fprintf(script, "set xrange [%.17g:%.17g]\n", low / 2, high * 2);
}

static void write_script(FILE *script, const PlotText *text, size_t curve_count,
                         const PlotCurve *curves) {
    write_string(script, "set title ", text->title, " noenhanced\n");
    write_string(script, "set xlabel ", text->x_label, " noenhanced\n");
    write_string(script, "set ylabel ", text->y_label, " noenhanced\n");
    fprintf(script, "set terminal svg size 800,560 background rgb 'white' font 'sans,13'\n"
                    "set logscale xy\nset format '10^{%%L}'\n"
                    "set grid\nset key top left noenhanced\nset datafile missing 'nan'\n");
    write_x_range(script, curve_count, curves);
    for (size_t i = 0; i < curve_count; i++) {
        /* Dashes and points differ too: a print without colour can be read. */
        fprintf(script, "%s '-' using 1:2 with linespoints lw 2 dt %zu pt %zu",
                i == 0 ? "plot" : "", i + 1, i + 4);
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

bool svg_plot_write(const char *path, const PlotText *text, size_t curve_count,
                    const PlotCurve *curves, char *why, size_t size) {
    FILE *script = tmpfile(), *picture = tmpfile();
    bool done = false;
    if (script == NULL || picture == NULL) {
        snprintf(why, size, "--plot %s: no temporary file: %s", path, strerror(errno));
    } else {
        write_script(script, text, curve_count, curves);
        fflush(script);
        rewind(script);
        int status = run_gnuplot(script, picture);
        char *svg = status == 0 ? read_all(picture) : NULL;
        if (svg != NULL) done = output_file_write(path, svg, why, size);
        else snprintf(why, size, "--plot %s: gnuplot failed with status %d", path, status);
        free(svg);
    }
    if (script != NULL) fclose(script);
    if (picture != NULL) fclose(picture);
    return done;
}
