/* What nvcc refuses, or warns of, and the C++ compiler, to which both sides are one program, would
 * take and be quietly right: each as a message at a token. Facts come of read/; it would rather miss
 * a fault than refuse a right program.
 *
 *   sides_device.cc, sides_host.cc   a name that belongs to the other side
 *   kernel_rules.cc                  how a kernel may be declared
 *   language_rules.cc                what may stand in device code, and which side may write what
 *   launch_rules.cc                  what may be launched, with which arguments
 *   brackets.cc, limits.cc           what only the whole source shows
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PROBLEMS_H
#define CPU_DEVICE_TRANSLATOR_PROBLEMS_H

#include <string>
#include <vector>

#include "cpu_device/translator/read/names.h"

struct Problem {
    size_t token;
    std::string message;
    bool warning; /* nvcc builds such a program */
};
using Problems = std::vector<Problem>;

/* Returns them in the order of the source, one for each line. relaxed_constexpr: device code may call
 * the host's constexpr functions, as with nvcc's --expt-relaxed-constexpr. */
Problems problems_of(const Source &src, const Names &names, bool relaxed_constexpr);

/* A bracket that is not closed, or closed by one of another kind; of no use is what would be
 * said of such a source otherwise. Token 0: there is none. */
Problem unmatched_bracket(const Source &src, const Names &names);

struct Insertion {
    size_t after; /* the token that it is to follow */
    size_t about; /* the one that messages are to point at */
    std::string text;
};
/* Returns what makes the compiler count the __constant__ variables' bytes, as ptxas does. */
std::vector<Insertion> constant_limits(const Declarations &declarations);

#endif
