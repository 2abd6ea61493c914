/* The words of C's and CUDA's that the translator knows, each by its exact name: types, keywords,
 * and what functions do. What is not here is not known, and nothing is concluded of it.
 *
 * Programs that declare such a name themselves are not considered here: see ProgramTypes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_VOCABULARY_H
#define CPU_DEVICE_TRANSLATOR_VOCABULARY_H

#include <string>

namespace vocabulary {

/* What calling a function does to its thread and to others. */
enum Does {
    kUnknown,
    kComputes, /* a value, of its arguments and of what they point at */
    kWrites,   /* that, and writes through pointers that it does not keep */
    kAtomic,   /* a read and a write of memory that others may wait for */
    kPrints,
    kBarrier,       /* __syncthreads() */
    kWarpBarrier,   /* __syncwarp() */
    kWarpOperation, /* a shuffle or a vote, which kernels are cut at */
    kWaits          /* another barrier or warp operation, or a pause */
};
Does does(const std::string &function);

/* unsigned, int, float, size_t, ...: a word of a built-in arithmetic type, or the name of one. */
bool is_arithmetic(const std::string &word);

/* float4, dim3, __half2, curandState: a type of the toolkit's that holds numbers only. */
bool is_value_type(const std::string &word);

/* const, static, __restrict__, ...: may stand beside a type, and leaves what it is. */
bool is_specifier(const std::string &word);

/* A keyword before a parenthesis that is no call: if, while, sizeof, static_cast, ... */
bool is_keyword(const std::string &word);

/* True for a method of cooperative groups that only describes the group and never blocks. */
bool tells_of_group(const std::string &method);

/* A method of groups, barriers and atomic objects at which a thread may wait. */
bool waits_as_method(const std::string &method);

} // namespace vocabulary

#endif
