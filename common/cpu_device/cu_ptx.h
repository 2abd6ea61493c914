/* Inline PTX as C++.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_CU_PTX_H
#define CPU_DEVICE_CU_PTX_H

#include <string>
#include <vector>

/* The statements that do what the instructions of `ptx` do, where %0, %1, ... are the C++
 * expressions `operands`; empty, and *unsupported the instruction, where one is not known. */
std::string ptx_as_cpp(const std::string &ptx, const std::vector<std::string> &operands,
                       std::string *unsupported);

#endif
