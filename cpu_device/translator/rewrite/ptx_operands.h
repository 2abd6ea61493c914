/* The operands of a PTX instruction, as C++: the base of those that translate instructions.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PTX_OPERANDS_H
#define CPU_DEVICE_TRANSLATOR_PTX_OPERANDS_H

#include <algorithm>
#include <string>
#include <vector>

#include "cpu_device/translator/rewrite/ptx_instruction.h"

extern const std::string kPtx, kUnsigned; /* "::cpu_device::ptx::", "unsigned" */

bool is_float(const std::string &type);
bool is_wide(const std::string &type); /* of 64 bits */

/* Where an operand is not known, an empty text is returned and bad_ is set. */
class PtxOperands {
  protected:
    PtxOperands(const std::string &text, const PtxRegisters &registers);

    bool has(const std::string &part) const {
        return std::find(parts_.begin(), parts_.end(), part) != parts_.end();
    }
    size_t count() const { return arguments_.size(); }

    std::string unknown() { return bad_ = true, ""; }
    std::string argument(size_t n) const { return n < count() ? arguments_[n] : ""; }
    /* A register, a special register or a number. */
    std::string expression(const std::string &text);
    std::string number(const std::string &text);
    /* Operand n as a value of a type. */
    std::string value(size_t n, const std::string &type);
    static std::string as(const std::string &type, const std::string &cpp);
    std::string predicate(size_t n);
    bool is_predicate(size_t n) const;
    /* "{%0, %1}" */
    bool is_vector(size_t n) const { return !argument(n).empty() && argument(n)[0] == '{'; }
    std::vector<std::string> elements(size_t n) const;
    std::string assign(const std::string &to, const std::string &cpp);
    /* Sets the first operand. */
    std::string result(const std::string &cpp) { return assign(argument(0), cpp); }
    std::string call(const std::string &function, const std::vector<std::string> &values);

    const PtxRegisters &registers_;
    std::vector<std::string> parts_, arguments_; /* "add", "u32"; "%0", "%1", "5" */
    bool bad_ = false;
};

#endif
