/* Names that belong to the other side: a host variable or function in device code, a device variable
 * or function in host code, a kernel called without a launch.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_SIDES_H
#define CPU_DEVICE_TRANSLATOR_SIDES_H

#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cpu_device/translator/read/header_functions.h"
#include "cpu_device/translator/refuse/problems.h"

class Sides : private Tokens {
  public:
    Sides(const Source &src, const Names &names, bool relaxed_constexpr);

    /* What is wrong in a function's body, by the side that it is for. */
    void check(const Declarations::Function &f, Problems *out) const;

  private:
    using Function = Declarations::Function;

    /* ---- device code: sides_device.cc ---- */
    void check_device(const Function &f, Problems *out) const;
    void check_host_parameters(const Function &f, Problems *out) const;
    std::string host_variable(const Function &f, size_t i) const;
    std::string host_call(const Function &f, size_t i, bool *warning) const;
    std::string host_method(const Function &f, size_t i) const;
    std::string host_constructor(const Function &f, size_t i) const;
    std::string of_library(const Function &f, size_t i) const;
    bool constant_expression(const Function &f, size_t i) const;
    bool address_taken(size_t i) const;

    /* ---- host code, and which code is whose: sides_host.cc ---- */
    void check_host(const Function &f, bool only_builtins, Problems *out) const;
    void check_host_call(const Function &f, size_t i, std::set<std::string> *said,
                         Problems *out) const;
    std::string device_variable(const Function &f, size_t i) const;
    bool is_inline(const Function &f) const;
    bool compiled_for_use_alone(const Function &f) const;
    bool compiled_for_host(const Function &f) const;
    bool may_be_of_header(const Function &f, size_t i) const;
    bool speaks_of_std(size_t i) const;

    const Names &names_;
    const Declarations &declarations_;
    const HeaderFunctions headers_;
    std::unordered_set<std::string_view> kit_calls_; /* of CUDA's own headers, and what is none
                                                           of this computer's */
    bool uses_std_ = false;                          /* using namespace std */
    std::set<std::string> used_of_std_;              /* using std::swap */
    const bool relaxed_constexpr_;
};

#endif
