/* SPDX-License-Identifier: Apache-2.0 */
/* See paragraph.h. */
#include "lessons/paragraph.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { WIDTH = 96 };

void print_paragraph(int indent, const char *text) {
    size_t used = 0; /* of the present line, 0: not begun */
    for (text += strspn(text, " "); *text != '\0'; text += strspn(text, " ")) {
        size_t word = strcspn(text, " ");
        if (used > 0 && used + 1 + word > WIDTH) {
            printf("\n");
            used = 0;
        }
        if (used == 0) used = (size_t)printf("%*s", indent, "");
        else used += (size_t)printf(" ");
        used += (size_t)printf("%.*s", (int)word, text);
        text += word;
    }
    if (used > 0) printf("\n");
}
