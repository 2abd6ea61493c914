/* What --config=check finds in the arithmetic, the indices and the addresses of kernels.
 *
 * The compiler puts a check before each load, store, index of an array whose size it knows, shift
 * and conversion of a float to an integer (-fsanitize=alignment,bounds,float-cast-overflow,
 * shift-exponent) and calls these functions where one fails. Each place is reported once. A load or store that is not aligned ends the
 * kernel with the device's error; after the others it goes on, and the program's exit status is
 * 1 instead of 0. Host code is none of this file's business.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef LAB_UBSAN /* the sanitizer's own runtime has these functions */

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cpu_device/runtime/run/run.h"
#include "cpu_device/runtime/runtime.h"

namespace {

/* What the compiler passes: as its manual leaves it to the runtime, so here is what gcc 9 to 14
 * and clang 9 to 18 do. */
struct Place {
    const char *file;
    uint32_t line;
    uint32_t column; /* ~0 once reported */
};
struct Type {
    uint16_t kind; /* 0: an integer, 1: a float, others: no number */
    uint16_t info; /* an integer's: is signed | log2(bits) << 1; a float's: bits */
    char name[1];  /* in quotes */
};
struct Access {
    Place place;
    const Type *type;
    unsigned char log_alignment;
    unsigned char kind;
};
enum AccessKind { kLoad = 0, kStore = 1, kMember = 3 };
struct Shift {
    Place place;
    const Type *left, *right;
};
struct Cast {
    Place place;
    const Type *from, *to;
};
struct Index {
    Place place;
    const Type *array, *index;
};

/* True for the first report of a place in a kernel. */
bool first_time(Place *place) {
    if (!cpu_device::in_kernel()) return false;
    return __atomic_exchange_n(&place->column, ~0u, __ATOMIC_RELAXED) != ~0u;
}

/* No thread may be preempted in the middle of a report. */
class Undisturbed {
  public:
    Undisturbed() : before_((cpu_device::Interruptible)cpu_device::t_thread.interruptible) {
        cpu_device::set_interruptible(cpu_device::kInRuntime);
    }
    ~Undisturbed() { cpu_device::set_interruptible(before_); }

  private:
    cpu_device::Interruptible before_;
};

int bits_of(const Type *t) { return 1 << (t->info >> 1); }

/* Passed in the low bits, with its sign or without. */
long long integer_value(const Type *type, uintptr_t value) {
    const int unused = 64 - bits_of(type);
    if (type->info & 1) return (long long)(value << unused) >> unused;
    return (long long)(value << unused >> unused);
}

double float_value(const Type *type, uintptr_t value) {
    if (type->info == 32) {
        float f;
        memcpy(&f, &value, sizeof f);
        return f;
    }
    if (type->info == 64) {
        double d;
        memcpy(&d, &value, sizeof d);
        return d;
    }
    return NAN;
}

} // namespace

extern "C" {

void __ubsan_handle_type_mismatch_v1(Access *a, uintptr_t address) {
    if (!cpu_device::in_kernel()) return;
    /* A member of a misaligned vector may itself be aligned well enough. */
    uintptr_t alignment = (uintptr_t)1 << a->log_alignment;
    if (a->kind == kMember && alignment > 4) alignment = 4;
    if (a->kind != kLoad && a->kind != kStore && a->kind != kMember) return;
    if (address % alignment == 0) return;
    cpu_device::set_interruptible(cpu_device::kInRuntime);
    cpu_device::note_check_failure();
    const char *did = a->kind == kStore ? "stored" : a->kind == kLoad ? "loaded" : "used a part of";
    cpu_device::say("%s:%u: %s %s a %s at %p, which is no multiple of %zu, its alignment",
                    a->place.file, a->place.line, cpu_device::where_in_kernel().c_str(), did,
                    a->type->name, (void *)address, (size_t)alignment);
    cpu_device::abort_kernel(cudaErrorMisalignedAddress);
}

void __ubsan_handle_shift_out_of_bounds(Shift *s, uintptr_t, uintptr_t right) {
    if (!first_time(&s->place)) return;
    Undisturbed undisturbed;
    cpu_device::note_check_failure();
    const int bits = bits_of(s->left);
    const long long by = integer_value(s->right, right);
    cpu_device::say(
        "%s:%u: %s shifted a number of %d bits by %lld: a GPU shifts all of it out, this "
        "computer shifts by %lld",
        s->place.file, s->place.line, cpu_device::where_in_kernel().c_str(), bits, by,
        by & (bits - 1));
}

void __ubsan_handle_out_of_bounds(Index *i, uintptr_t index) {
    if (!first_time(&i->place)) return;
    Undisturbed undisturbed;
    cpu_device::note_check_failure();
    /* 'float [16][17]': the first number is that of the elements which are counted here. */
    const char *bracket = strchr(i->array->name, '[');
    const unsigned long count = bracket ? strtoul(bracket + 1, nullptr, 10) : 0;
    cpu_device::say(
        "%s:%u: %s used index %lld of an array of %lu elements, %s: its indices are 0 to "
        "%lu",
        i->place.file, i->place.line, cpu_device::where_in_kernel().c_str(),
        integer_value(i->index, index), count, i->array->name, count ? count - 1 : 0);
}

void __ubsan_handle_float_cast_overflow(Cast *c, uintptr_t from) {
    if (!first_time(&c->place)) return;
    Undisturbed undisturbed;
    cpu_device::note_check_failure();
    cpu_device::say(
        "%s:%u: %s made %s of the %s %g, which does not fit: a GPU gives the nearest "
        "number that does (0 for NaN), this computer something else",
        c->place.file, c->place.line, cpu_device::where_in_kernel().c_str(), c->to->name,
        c->from->name, float_value(c->from, from));
}

} // extern "C"

#endif
