/* The lists of library.h.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "cpu_device/translator/refuse/library.h"

namespace {

const char *const kNoFiles = ": a kernel has no files; printf prints from device code";
const char *const kNoHeap = ": device code may call malloc and free";
const char *const kEnds = ": use assert(), or __trap(), to end a kernel with an error";
const char *const kPointer = ": give the kernel a pointer from cudaMalloc, and the length";
const char *const kLoop = ": write the loop";
const char *const kSort = ": write it with the kernel's own threads";
const char *const kPrint = ": printf prints from device code";
const char *const kRandom = ": device code has the generators of <curand_kernel.h>";
const char *const kClock = ": device code has clock64()";
const char *const kAtomic = ": use atomicAdd() and its kin, or cuda::atomic";
const char *const kLimits =
    "device code has the constants of <limits.h> and <float.h>, such as "
    "INT_MAX and FLT_MAX";
const char *const kStruct = "use a struct of your own";

} // namespace

const Advice kHostLibrary = {{"rand", kRandom},
                             {"srand", kRandom},
                             {"rand_r", kRandom},
                             {"drand48", kRandom},
                             {"random", kRandom},
                             {"fprintf", kNoFiles},
                             {"puts", kPrint},
                             {"putchar", kPrint},
                             {"perror", kPrint},
                             {"scanf", kNoFiles},
                             {"fscanf", kNoFiles},
                             {"fopen", kNoFiles},
                             {"fclose", kNoFiles},
                             {"fread", kNoFiles},
                             {"fwrite", kNoFiles},
                             {"fgets", kNoFiles},
                             {"fputs", kNoFiles},
                             {"fflush", kNoFiles},
                             {"getchar", kNoFiles},
                             {"sprintf", kPrint},
                             {"snprintf", kPrint},
                             {"exit", kEnds},
                             {"abort", kEnds},
                             {"getenv", ""},
                             {"system", ""},
                             {"time", kClock},
                             {"gettimeofday", kClock},
                             {"clock_gettime", kClock},
                             {"calloc", kNoHeap},
                             {"realloc", kNoHeap},
                             {"memmove", kLoop},
                             {"memcmp", kLoop},
                             {"strcmp", kLoop},
                             {"strcpy", kLoop},
                             {"strcat", kLoop},
                             {"strncmp", kLoop},
                             {"strncpy", kLoop},
                             {"atoi", ""},
                             {"atof", ""},
                             {"qsort", kSort},
                             {"isdigit", ""},
                             {"isalpha", ""},
                             {"toupper", ""},
                             {"tolower", ""}};

const Advice kHostClasses = {
    {"vector", kPointer},
    {"string", ""},
    {"map", ""},
    {"set", ""},
    {"list", ""},
    {"deque", ""},
    {"queue", ""},
    {"stack", ""},
    {"unordered_map", ""},
    {"unordered_set", ""},
    {"cout", kPrint},
    {"cerr", kPrint},
    {"endl", kPrint},
    {"unique_ptr", kPointer},
    {"shared_ptr", kPointer},
    {"make_unique", kPointer},
    {"make_shared", kPointer},
    {"mt19937", kRandom},
    {"function", ": give the kernel a functor, or a __device__ lambda, as a template argument"},
    {"mutex", kAtomic},
    {"lock_guard", kAtomic},
    {"atomic", kAtomic},
    {"thread", ""},
    {"stringstream", ""},
    {"ostringstream", ""},
    {"to_string", kPrint}};

const Advice kConstexprOfStd = {{"max", "use max()"},
                                {"min", "use min()"},
                                {"clamp", "use min(max(x, low), high)"},
                                {"numeric_limits", kLimits},
                                {"array", "use an array T a[N]"},
                                {"pair", kStruct},
                                {"make_pair", kStruct},
                                {"tuple", kStruct},
                                {"make_tuple", kStruct},
                                {"tie", kStruct},
                                {"optional", kStruct},
                                {"complex", "use <cuComplex.h>"},
                                {"distance", "subtract the pointers"},
                                {"max_element", "write the loop"},
                                {"min_element", "write the loop"},
                                {"minmax", "use min() and max()"}};

const Advice kFunctionsOfStd = {{"sort", kSort},
                                {"stable_sort", kSort},
                                {"partial_sort", kSort},
                                {"nth_element", kSort},
                                {"swap", ": swap through a variable of the function's"},
                                {"exchange", ""},
                                {"fill", kLoop},
                                {"fill_n", kLoop},
                                {"copy", kLoop},
                                {"copy_n", kLoop},
                                {"accumulate", kLoop},
                                {"inner_product", kLoop},
                                {"partial_sum", kLoop},
                                {"iota", kLoop},
                                {"transform", kLoop},
                                {"for_each", kLoop},
                                {"count", kLoop},
                                {"count_if", kLoop},
                                {"find", kLoop},
                                {"find_if", kLoop},
                                {"reverse", kLoop},
                                {"rotate", kLoop},
                                {"unique", kLoop},
                                {"lower_bound", kLoop},
                                {"upper_bound", kLoop},
                                {"binary_search", kLoop}};

const std::set<std::string> kUsedUnqualified = {"cout", "cerr", "endl", "vector", "string", "sort"};
