/* PTX arithmetic: of integers and floats, with carries, of bits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PTX_ARITHMETIC_H
#define CPU_DEVICE_TRANSLATOR_PTX_ARITHMETIC_H

#include <string>

#include "cpu_device/translator/rewrite/ptx_operands.h"

class PtxArithmetic : protected PtxOperands {
  protected:
    using PtxOperands::PtxOperands;

    /* The instruction, of operands of that C++ type; empty: it is not known. */
    std::string arithmetic(const std::string &type);
    std::string permutation(); /* prmt */

  private:
    std::string rounded(const std::string &type);
    std::string with_carry(const std::string &type);
    std::string high(const std::string &type);
    std::string of_24_bits(const std::string &type);
    std::string unary(const std::string &type);
    std::string binary(const std::string &type);
    std::string ternary(const std::string &type);
};

#endif
