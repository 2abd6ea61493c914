/* Wording that modules and lessons share: numbers as people read them, and text
 * that grows in a buffer of fixed size.
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef COMMON_TEXT_H_
#define COMMON_TEXT_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Each returns a text that stays valid for the next 15 calls of these functions
 * on this thread, so several fit into one printf. */
const char *text_count(uint64_t value);                  /* "12,000" */
const char *text_counted(uint64_t n, const char *thing); /* "1 block", "12,000 blocks" */
const char *text_bytes(double bytes);  /* "512 bytes", "92.2 MB", "1.8 GB": 10^6, 10^9 */
const char *text_memory(double bytes); /* "48.0 KiB", "139.8 GiB": 2^10, 2^30 */
const char *text_ms(double ms);        /* "12.3 us", "0.435 ms", "1.25 s" */
const char *text_ms_about(double ms);  /* two digits: "36 us", "120 ms", "1.2 s" */
/* That many significant digits and no unit, for a column that has one: "0.0421", "35,100". */
const char *text_digits(double value, int digits);
const char *text_rate(double gbps);              /* "4,123 GB/s", "55.1 GB/s", "6.90 GB/s" */
const char *text_real(double value, int digits); /* as %.*g, and "nan" without a sign */
const char *text_format(const char *format, ...) /* any printf text, cut at 159 bytes */
    __attribute__((format(printf, 1, 2)));

/* Text of unknown length into a buffer of known size: append as printf does;
 * what does not fit is cut, and length goes on counting, as snprintf's result. */
typedef struct TextBuffer {
    char *text;
    size_t size;   /* of text, with its final 0; may be 0 */
    size_t length; /* of the whole text, whether it fitted or not */
} TextBuffer;

/* Starts an empty text in text[0 .. size). */
TextBuffer text_buffer(char *text, size_t size);
void text_append(TextBuffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif

#endif
