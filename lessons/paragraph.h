/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences of any length, broken into lines that fit a terminal of 100 columns. */
#ifndef LESSONS_PARAGRAPH_H_
#define LESSONS_PARAGRAPH_H_

#ifdef __cplusplus
extern "C" {
#endif

/* Prints text to stdout with `indent` blanks before each line, broken at blanks
 * so that no line is wider than 96 columns unless one word is, and a newline at
 * the end. Nothing for an empty text. Counts bytes, so UTF-8 lines end early. */
void print_paragraph(int indent, const char *text);

#ifdef __cplusplus
}
#endif

#endif /* LESSONS_PARAGRAPH_H_ */
