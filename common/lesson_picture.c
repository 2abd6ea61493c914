/* SPDX-License-Identifier: Apache-2.0 */
/* See lesson_picture.h. */
#include "common/lesson_picture.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/output_file.h"

static size_t picture_count(const LessonSpec *spec) {
    size_t count = 0;
    while (count < LESSON_PICTURES && spec->pictures[count] != NULL) count++;
    return count;
}

void lesson_picture(Lesson *lesson, const char *topic, Picture picture) {
    for (size_t i = 0; i < picture_count(lesson->spec); i++) {
        if (strcmp(lesson->spec->pictures[i], topic) != 0) continue;
        free(lesson->pictures[i].svg);
        lesson->pictures[i] = picture;
        return;
    }
    free(picture.svg);
}

static void say_wrong(const Lesson *lesson, const char *topic, const char *why) {
    fflush(stdout);
    fprintf(stderr, "%s: --plot: %s%s%s\n", lesson->name, topic, topic[0] == '\0' ? "" : ": ", why);
}

/* True if each picture was drawn or had to be left out. */
static bool all_drawn(const Lesson *lesson) {
    bool drawn = true;
    for (size_t i = 0; i < picture_count(lesson->spec); i++) {
        const Picture *picture = &lesson->pictures[i];
        if (picture->svg != NULL || picture->left_out) continue;
        say_wrong(lesson, lesson->spec->pictures[i],
                  picture->why[0] != '\0' ? picture->why : "was not drawn");
        drawn = false;
    }
    return drawn;
}

static bool write_picture(const Lesson *lesson, const char *topic, const Picture *picture) {
    char path[PATH_MAX], why[512];
    if (!output_file_variant(lesson->options.plot_path, topic, path, sizeof path)) return false;
    if (picture->svg == NULL) {
        printf("Not drawn: %s: %s\n", path, picture->why);
        return true;
    }
    if (!output_file_write(path, picture->svg, why, sizeof why)) {
        say_wrong(lesson, "", why);
        return false;
    }
    printf("Picture: %s\n", path);
    return true;
}

bool lesson_write_pictures(Lesson *lesson, bool right) {
    if (lesson->options.plot_path == NULL) return true;
    if (!right) printf("No pictures are drawn of a run whose results were wrong.\n");
    bool done = !right || all_drawn(lesson);
    const bool write = right && done;
    for (size_t i = 0; i < picture_count(lesson->spec); i++) {
        Picture *picture = &lesson->pictures[i];
        if (write) done = write_picture(lesson, lesson->spec->pictures[i], picture) && done;
        free(picture->svg);
        *picture = (Picture){.svg = NULL};
    }
    return done;
}
