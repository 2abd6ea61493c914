/* One PTX instruction as C++: what stands in it, and what it stands for.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PTX_INSTRUCTION_H
#define CPU_DEVICE_TRANSLATOR_PTX_INSTRUCTION_H

#include <map>
#include <string>
#include <vector>

/* Operands, and registers that the instructions declare, by name without its percent signs:
 * "0", "p1". The C++ variable of each is "ptx_" and the name. */
using PtxRegisters = std::map<std::string, std::string>; /* to the C++ type */

std::string ptx_variable(const std::string &name);

/* "u32" as C++ writes it; empty for what is no scalar type. */
std::string ptx_type(const std::string &type);

/* `text` cut at each `at` that no bracket or brace encloses. */
std::vector<std::string> ptx_split(const std::string &text, char at);

std::string ptx_trimmed(const std::string &text);

/* The C++ expression or statement for "add.u32 %0, %1, 5" (no guard, no semicolon); empty where
 * the instruction or an operand of it is not known. */
std::string ptx_instruction_as_cpp(const std::string &text, const PtxRegisters &registers);

#endif
