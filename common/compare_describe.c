/* Saying what is wrong with a result, in GPU words. See compare.h.
 *
 * One pass over the wrong elements gathers facts (Facts); each pattern is then a
 * small function that looks at them and adds a line if it fits.
 * SPDX-License-Identifier: Apache-2.0 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "common/text.h"

enum {
    /* Largest distance that one fused multiply-add, or another order of two or
     * three roundings, explains when nothing cancels. */
    ROUNDING_ULP = 8,
    MAX_REPORTED_ULP = 1 << 23, /* a factor of 2; a larger number of ULP says nothing */
    MAX_TILE = 1 << 16,         /* elements per block for which residues are counted */
};

typedef struct Facts {
    const CompareResult *r;
    size_t tile;    /* elements of one block (1-D); 0: unknown */
    size_t threads; /* of one block; 0: unknown */
    size_t vector;
    size_t grid_elements; /* elements that all blocks cover once; 0: unknown */
    size_t step;          /* greatest common divisor of distances between wrong elements */
    size_t *residues;     /* wrong elements by index mod tile; null: not counted */
    size_t residue_kinds; /* of these, how many are not 0 */
    size_t wrong_blocks, whole_blocks; /* blocks with wrong elements; wrong throughout */
    bool same_value;                   /* all wrong elements hold the same bits */
    bool shifted_left, shifted_right;  /* got[i] is want[i + 1], is want[i - 1] */
} Facts;

static size_t or_one(size_t value) { return value > 0 ? value : 1; }

static bool is_2d(const LaunchGeometry *geometry) {
    return geometry != NULL && geometry->block_y > 1 && geometry->cols > 0;
}

/* --- Elements as text --- */

static const char *text_element(const void *data, DType dtype, size_t i) {
    switch (dtype) {
    case DTYPE_FLOAT32: return text_real((double)((const float *)data)[i], 9);
    case DTYPE_FLOAT64: return text_real(((const double *)data)[i], 17);
    case DTYPE_INT8: return text_format("%d", ((const int8_t *)data)[i]);
    case DTYPE_UINT8: return text_format("%u", ((const uint8_t *)data)[i]);
    case DTYPE_INT16: return text_format("%d", ((const int16_t *)data)[i]);
    case DTYPE_UINT16: return text_format("%u", ((const uint16_t *)data)[i]);
    case DTYPE_INT32: return text_format("%" PRId32, ((const int32_t *)data)[i]);
    case DTYPE_UINT32: return text_format("%" PRIu32, ((const uint32_t *)data)[i]);
    case DTYPE_INT64: return text_format("%" PRId64, ((const int64_t *)data)[i]);
    case DTYPE_UINT64: return text_format("%" PRIu64, ((const uint64_t *)data)[i]);
    }
    return "?";
}

/* "element 1,000 (row 0, column 1,000; block 3, thread 232)" */
static void append_place(TextBuffer *text, size_t i, const LaunchGeometry *geometry) {
    text_append(text, "element %s", text_count(i));
    if (geometry == NULL) {
        return;
    }
    const char *separator = " (";
    if (geometry->cols > 0) {
        text_append(text, " (row %s, column %s", text_count(i / geometry->cols),
                    text_count(i % geometry->cols));
        separator = "; ";
    }
    if (is_2d(geometry)) {
        size_t row = i / geometry->cols, col = i % geometry->cols;
        size_t block_x = or_one(geometry->block_x), block_y = geometry->block_y;
        text_append(text, "%sblock (%s, %s), thread (%zu, %zu)", separator,
                    text_count(col / block_x), text_count(row / block_y), col % block_x,
                    row % block_y);
    } else if (geometry->block_x > 0) {
        size_t thread = i / or_one(geometry->vector);
        size_t blocks = or_one(geometry->grid_x);
        size_t block = thread / geometry->block_x;
        text_append(text, "%s", separator);
        if (block >= blocks && geometry->grid_x > 0) {
            text_append(text, "turn %s of a grid-stride loop, ", text_count(block / blocks + 1));
            block %= blocks;
        }
        text_append(text, "block %s, thread %zu", text_count(block), thread % geometry->block_x);
    } else if (geometry->cols == 0) {
        return;
    }
    text_append(text, ")");
}

/* --- Facts --- */

static size_t gcd(size_t a, size_t b) {
    while (b != 0) {
        size_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static bool same_bits(const void *a, size_t i, const void *b, size_t j, size_t size) {
    return memcmp((const char *)a + i * size, (const char *)b + j * size, size) == 0;
}

static void add_wrong(Facts *facts, size_t i) {
    const CompareResult *r = facts->r;
    size_t size = dtype_size(r->dtype), first = r->first_wrong;
    if (i != first && (facts->step == 0 || (i - first) % facts->step != 0)) {
        facts->step = gcd(i - first, facts->step);
    }
    if (facts->residues != NULL) {
        facts->residue_kinds += facts->residues[i % facts->tile]++ == 0;
    }
    facts->same_value = facts->same_value && same_bits(r->got_data, i, r->got_data, first, size);
    facts->shifted_left = facts->shifted_left &&
                          (i + 1 == r->n || same_bits(r->got_data, i, r->want_data, i + 1, size));
    facts->shifted_right =
        facts->shifted_right && (i == 0 || same_bits(r->got_data, i, r->want_data, i - 1, size));
}

static Facts gather(const CompareResult *r, const LaunchGeometry *geometry) {
    Facts facts = {.r = r, .same_value = true, .shifted_left = true, .shifted_right = true};
    if (geometry != NULL && geometry->block_x > 0 && !is_2d(geometry)) {
        facts.threads = geometry->block_x;
        facts.vector = or_one(geometry->vector);
        facts.tile = geometry->block_x * facts.vector;
        facts.grid_elements = facts.tile * geometry->grid_x;
    }
    if (facts.tile > 0 && facts.tile <= MAX_TILE) {
        facts.residues = calloc(facts.tile, sizeof *facts.residues);
    }
    size_t tile = facts.tile > 0 ? facts.tile : r->n;
    for (size_t begin = r->first_wrong / tile * tile; begin <= r->last_wrong; begin += tile) {
        size_t end = r->n - begin > tile ? begin + tile : r->n;
        size_t wrong = 0;
        for (size_t i = begin; i < end; ++i) {
            if (compare_is_wrong(r, i)) {
                add_wrong(&facts, i);
                ++wrong;
            }
        }
        facts.wrong_blocks += wrong > 0;
        facts.whole_blocks += wrong == end - begin;
    }
    return facts;
}

/* --- Patterns: each adds a line, or nothing --- */

static bool is_tail(const CompareResult *r) {
    return r->last_wrong == r->n - 1 && r->wrong == r->n - r->first_wrong;
}

static void say_values(const Facts *f, TextBuffer *text) {
    const CompareResult *r = f->r;
    if (r->never_written == r->wrong) {
        text_append(text,
                    "\n  never written: every wrong element still holds the pattern that the "
                    "output was filled with before the run");
    } else if (r->never_written > 0) {
        text_append(text,
                    "\n  never written: %s of the wrong elements still hold the pattern that "
                    "the output was filled with",
                    text_count(r->never_written));
    }
    size_t computed_nan =
        r->unexpected_nan -
        (r->never_written < r->unexpected_nan ? r->never_written : r->unexpected_nan);
    if (computed_nan > 0) {
        text_append(text, "\n  NaN: %s elements are NaN where a number was expected",
                    text_count(computed_nan));
    }
    if (r->missing_nan > 0) {
        text_append(text, "\n  %s elements are a number where NaN was expected",
                    text_count(r->missing_nan));
    }
    if (f->same_value && r->wrong > 1 && r->never_written == 0 && r->unexpected_nan == 0) {
        text_append(text,
                    "\n  every wrong element holds the same value, %s: was it computed, and "
                    "was the result copied back?",
                    text_element(r->got_data, r->dtype, r->first_wrong));
    }
    if (r->wrong > 2 && !f->same_value && (f->shifted_left || f->shifted_right)) {
        text_append(text,
                    "\n  shifted by one: each wrong element holds the value expected one place "
                    "%s",
                    f->shifted_left ? "further on" : "before");
    }
}

/* Runs of wrong elements at the end or the beginning. True if one was named. */
static bool say_run(const Facts *f, TextBuffer *text) {
    const CompareResult *r = f->r;
    if (r->wrong == r->n) {
        if (r->n > 1) {
            text_append(text, "\n  every element is wrong");
        }
        return true;
    }
    size_t first = r->first_wrong, tile = f->tile;
    if (is_tail(r)) {
        if (tile > 0 && first == tile && r->n > tile) {
            text_append(text,
                        "\n  only the first block is right: does the index use "
                        "blockIdx.x * blockDim.x + threadIdx.x, and are there enough blocks?");
        } else if (tile > 0 && r->n % tile != 0 && first == r->n / tile * tile) {
            text_append(text,
                        "\n  exactly the last, partial block is wrong (%zu elements, a full "
                        "block has %zu): round the number of blocks up, "
                        "(n + %zu - 1) / %zu",
                        r->n - first, tile, tile, tile);
        } else if (f->grid_elements > 0 && first == f->grid_elements) {
            text_append(text,
                        "\n  the grid ends there: %s blocks of %zu threads cover %s elements; "
                        "more blocks, or a grid-stride loop, are needed",
                        text_count(first / tile), f->threads, text_count(first));
        } else if (tile > 0 && first % tile == 0) {
            text_append(text, "\n  everything from block %s on is wrong", text_count(first / tile));
        } else if (r->wrong > 1) {
            text_append(text, "\n  everything from element %s to the end is wrong (%s elements)",
                        text_count(first), text_count(r->wrong));
        } else {
            text_append(text, "\n  only the last element is wrong: is a bound one too small?");
        }
        return true;
    }
    if (first == 0 && r->wrong == r->last_wrong + 1 && r->wrong > 1) {
        if (tile > 0 && r->wrong == tile) {
            text_append(text, "\n  exactly the first block is wrong");
        } else {
            text_append(text, "\n  the first %s elements are wrong, the others right",
                        text_count(r->wrong));
        }
        return true;
    }
    return false;
}

static void say_step_meaning(const Facts *f, TextBuffer *text) {
    size_t step = f->step, first = f->r->first_wrong;
    if (step == f->tile && f->tile > 0) {
        text_append(text, ", thread %zu of each block", first % f->tile / f->vector);
    } else if (step == 32) {
        text_append(text, ", lane %zu of each warp", first % 32);
    } else if (step == f->vector && f->vector > 1) {
        text_append(text, ", one place of each thread's %zu elements", f->vector);
    }
}

/* Wrong elements at even distances, or at the same places of each block. */
static void say_period(const Facts *f, TextBuffer *text) {
    const CompareResult *r = f->r;
    size_t blocks = f->tile > 0 ? r->n / f->tile + (r->n % f->tile != 0) : 0;
    if (r->wrong > 2 && f->step > 1 && r->wrong == (r->last_wrong - r->first_wrong) / f->step + 1) {
        text_append(text, "\n  every %s%s element from %s to %s is wrong", text_count(f->step),
                    f->step == 2   ? "nd"
                    : f->step == 3 ? "rd"
                                   : "th",
                    text_count(r->first_wrong), text_count(r->last_wrong));
        say_step_meaning(f, text);
        return;
    }
    if (blocks > 1 && f->wrong_blocks == 1 && r->wrong > 1) {
        text_append(text, "\n  all wrong elements are in block %s",
                    text_count(r->first_wrong / f->tile));
        return;
    }
    if (f->wrong_blocks > 1 && f->whole_blocks == f->wrong_blocks) {
        text_append(text, "\n  whole blocks are wrong: %s of %s", text_count(f->wrong_blocks),
                    text_count(blocks));
        return;
    }
    if (f->residues == NULL || blocks < 3 || f->residue_kinds == 0 || f->residue_kinds >= f->tile) {
        return;
    }
    /* The first and the last block may differ: a scan's first block adds nothing. */
    size_t lowest = f->tile, highest = 0, repeated = 0;
    for (size_t place = 0; place < f->tile; ++place) {
        if (f->residues[place] > 0) {
            lowest = place < lowest ? place : lowest;
            highest = place;
            repeated += f->residues[place] + 2 >= blocks;
        }
    }
    if (repeated == f->residue_kinds) {
        text_append(text,
                    "\n  errors repeat with the block size: %s of %zu places in each block of "
                    "%zu, ",
                    text_count(f->residue_kinds), f->tile, f->tile);
        text_append(text, lowest == highest ? "place %zu" : "between %zu and %zu", lowest, highest);
    }
}

/* Do the differences look like another rounding, as fused multiply-add makes? */
static bool fits_rounding(const CompareResult *r) {
    if (r->bitwise && r->dtype != DTYPE_FLOAT32 && r->dtype != DTYPE_FLOAT64) {
        return false;
    }
    if (r->unexpected_nan > 0 || r->missing_nan > 0 || r->max_ulp_index == r->n ||
        r->max_ulp == 0 || r->flushed > 0) {
        return false;
    }
    double epsilon = r->dtype == DTYPE_FLOAT32 ? (double)FLT_EPSILON : DBL_EPSILON;
    return r->max_ulp <= ROUNDING_ULP || r->max_abs_error <= 2 * epsilon * r->max_abs_want;
}

static void say_rounding(const CompareResult *r, TextBuffer *text) {
    if (r->flushed > 0) {
        text_append(text,
                    "\n  %s elements are 0 where a subnormal number was expected: flushed to "
                    "zero, as -use_fast_math or -ftz=true does",
                    text_count(r->flushed));
    }
    if (r->dtype != DTYPE_FLOAT32 && r->dtype != DTYPE_FLOAT64) {
        return;
    }
    if (r->max_ulp_index < r->n && r->max_ulp > 0) {
        text_append(text, "\n  largest difference of finite numbers: ");
        if (r->max_ulp <= MAX_REPORTED_ULP) {
            text_append(text, "%s ULP, at element %s", text_count(r->max_ulp),
                        text_count(r->max_ulp_index));
        } else {
            text_append(text, "%.3g", r->max_abs_error);
        }
    }
    if (fits_rounding(r)) {
        text_append(text,
                    "\n  %s: this fits fused multiply-add (contraction) or another order of "
                    "rounding; build with --//bazel:fmad=false to compare without it",
                    r->max_ulp <= ROUNDING_ULP ? "no difference above a few ULP"
                                               : "small differences beside the largest values");
    }
}

/* --- The whole text --- */

static void describe_right(const CompareResult *r, TextBuffer *text) {
    if (r->n == 0) {
        text_append(text, "no elements to compare");
        return;
    }
    text_append(text, r->n == 1 ? "the 1 element is right" : "all %s elements right",
                text_count(r->n));
    if (r->exact == r->n) {
        text_append(text, ", bit for bit");
    } else if (r->max_ulp_index < r->n && r->max_ulp > 0) {
        text_append(text, ", largest error %s ULP", text_count(r->max_ulp));
    }
}

static void describe_wrong(const CompareResult *r, const LaunchGeometry *geometry,
                           TextBuffer *text) {
    text_append(text, "%s of %s elements wrong (%.3g %%)\n  first: ", text_count(r->wrong),
                text_count(r->n), 100.0 * (double)r->wrong / (double)r->n);
    append_place(text, r->first_wrong, geometry);
    text_append(text, ": expected %s, found %s",
                text_element(r->want_data, r->dtype, r->first_wrong),
                text_element(r->got_data, r->dtype, r->first_wrong));
    Facts facts = gather(r, geometry);
    say_values(&facts, text);
    if (!say_run(&facts, text)) {
        say_period(&facts, text);
    }
    say_rounding(r, text);
    free(facts.residues);
}

size_t compare_describe(const CompareResult *result, const LaunchGeometry *geometry, char *text,
                        size_t size) {
    TextBuffer buffer = text_buffer(text, size);
    if (result->wrong == 0) {
        describe_right(result, &buffer);
    } else if (result->got_data == NULL || result->want_data == NULL) {
        text_append(&buffer, "nothing to compare: a null pointer was given for %s elements",
                    text_count(result->n));
    } else {
        describe_wrong(result, geometry, &buffer);
    }
    return buffer.length;
}
