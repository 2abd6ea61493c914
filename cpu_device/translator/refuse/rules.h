/* What the language of kernels leaves out: how a kernel may be declared, what may stand in device
 * code, which side may write what.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_RULES_H
#define CPU_DEVICE_TRANSLATOR_RULES_H

#include <string>

#include "cpu_device/translator/refuse/problems.h"

/* How a kernel may be declared. */
class KernelRules : private Tokens {
  public:
    KernelRules(const Source &src, const Names &names) : Tokens(src), names_(names) {}

    /* f: a kernel, declared or defined. */
    void check(const Declarations::Function &f, Problems *out) const;

  private:
    using Function = Declarations::Function;
    void check_parameters(const Function &f, size_t open, size_t close, Problems *out) const;
    bool is_undefined_type(const Function &f, size_t i) const;

    const Names &names_;
};

/* What may stand in functions. */
class LanguageRules : private Tokens {
  public:
    LanguageRules(const Source &src, const Names &names)
        : Tokens(src), names_(names), declarations_(names.declarations()) {}

    /* A function's body. */
    void check(const Declarations::Function &f, Problems *out) const;

    /* Shared variables in functions of the host's. */
    void check_shared_on_host(Problems *out) const;

  private:
    using Function = Declarations::Function;
    void check_device(const Function &f, Problems *out) const;
    bool opens_block(const Function &f, size_t i) const;
    bool declares_array(const Function &f, size_t i) const;
    void check_array_length(const Function &f, size_t i, Problems *out) const;
    std::string runtime_name(const Function &f, size_t first, size_t end) const;
    void check_constant_memory(const Function &f, Problems *out) const;

    const Names &names_;
    const Declarations &declarations_;
};

#endif
