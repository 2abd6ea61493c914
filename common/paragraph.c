/* Sentences of any length on lines of limited width. See paragraph.h.
 * SPDX-License-Identifier: Apache-2.0 */
#include "common/paragraph.h"

#include <stdio.h>
#include <string.h>

enum { WIDTH = 80 };

/* Prints the words of text[0 .. length), each line but the first after `indent`
 * blanks; the first begins at `column`. */
static void print_words(size_t column, int indent, const char *text, size_t length) {
    const char *end = text + length;
    size_t gap = strspn(text, " ");
    const char *at = text + gap;
    while (at < end) {
        size_t word = strcspn(at, " \n");
        if (column + gap + word > WIDTH && column > (size_t)indent) {
            printf("\n%*s", indent, "");
            column = (size_t)indent;
            gap = 0;
        }
        printf("%*s%.*s", (int)gap, "", (int)word, at);
        column += gap + word;
        gap = strspn(at + word, " ");
        at += word + gap;
    }
}

void print_lines(size_t column, int indent, const char *text) {
    for (int own = 0;;) {
        size_t length = strcspn(text, "\n");
        print_words(column, indent + own, text, length);
        putchar('\n');
        if (text[length] == '\0') {
            return;
        }
        text += length + 1;
        own = (int)strspn(text, " ");
        text += own;
        column = (size_t)printf("%*s", indent + own, "");
    }
}

void print_paragraph(int indent, const char *text) {
    if (text[strspn(text, " ")] == '\0') {
        return;
    }
    printf("%*s", indent, "");
    print_lines((size_t)indent, indent, text + strspn(text, " "));
}
