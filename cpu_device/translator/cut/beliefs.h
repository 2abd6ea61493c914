/* What the reader takes each name in a function for, in words: tests compare them with what a real
 * front end says of the same program (tests/cpu_device/oracle_test.cc).
 *
 *   FILE:LINE:COLUMN: function 'k' is read
 *   FILE:LINE:COLUMN: variable 'x': shared array of 2 dimensions of number
 *   FILE:LINE:COLUMN: 'x' is of LINE:COLUMN
 *
 * Columns are those of the preprocessed text: the source's own where neither a macro, nor a comment,
 * nor more than one blank stands before the name in its line.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_CUT_BELIEFS_H
#define CPU_DEVICE_TRANSLATOR_CUT_BELIEFS_H

#include "cpu_device/translator/cut/reader.h"
#include "cpu_device/translator/tokens.h"

/* Writes the lines for the function that the reader has read, on standard error. */
void print_beliefs(const Source &src, const Reader &reader);

#endif
