/* Inline PTX as C++.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PTX_H
#define CPU_DEVICE_TRANSLATOR_PTX_H

#include <string>
#include <vector>

/* "+r"(x): constraint and C++ expression. */
struct PtxOperand {
    std::string constraint, expression;
};

/* The statements that do what the instructions of `ptx` do, where %0, %1, ... are `operands`:
 * inputs are read before them and outputs written after them. Empty, and *unsupported the
 * instruction, where one is not known. */
std::string ptx_as_cpp(const std::string &ptx, const std::vector<PtxOperand> &operands,
                       std::string *unsupported);

#endif
