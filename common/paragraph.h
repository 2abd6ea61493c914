/* Sentences of any length, broken into lines that fit a terminal of 80 columns.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_PARAGRAPH_H_
#define COMMON_PARAGRAPH_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints text to stdout with `indent` blanks before each line, broken at blanks
 * so that no line is wider than 80 columns unless one word is, and a newline at
 * the end. Nothing for an empty text. Counts bytes, so UTF-8 lines end early. */
void print_paragraph(int indent, const char *text);

/* Text that goes on where stdout's line has `column` characters already: broken in
 * the same way, lines after the first with `indent` blanks, and a newline at the end.
 * Lines of its own stay lines; what one is indented by comes on top of `indent`. */
void print_lines(size_t column, int indent, const char *text);

#ifdef __cplusplus
}
#endif

#endif
