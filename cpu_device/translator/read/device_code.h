/* Where a program's device code is: kernels, device functions, device lambdas; and its device
 * variables.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_DEVICE_CODE_H
#define CPU_DEVICE_TRANSLATOR_DEVICE_CODE_H

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/tokens.h"

struct DeviceFunction {
    std::string name;
    size_t begin;          /* tokens: its first CUDA keyword */
    size_t body, body_end; /* { and } */
    bool kernel;
};

class DeviceCode : private Tokens {
  public:
    explicit DeviceCode(const Source &src) : Tokens(src) {}

    /* Reads the whole source, in which brackets match. Before it, there is no device code. */
    void read();

    /* Definitions, in the order of the source. */
    const std::vector<DeviceFunction> &functions() const { return functions_; }
    /* Bodies of device lambdas: tokens of { and }. */
    const std::vector<std::pair<size_t, size_t>> &lambdas() const { return lambdas_; }

    /* The first function whose body token i is in; null: none. */
    const DeviceFunction *function_around(size_t i) const;
    /* Token i is in the body of a function or of a device lambda. */
    bool contains(size_t i) const;

    /* Only namespaces (and extern "C") are open around the token, and no template<...> stands
   * before its declaration, or one may. */
    bool in_namespace(size_t i, bool templates = false) const;

    /* A kernel or a device function of that name is defined. */
    bool is_device_function(const std::string &name) const { return names_.count(name) != 0; }
    /* The function that begins with that token is a kernel. */
    bool is_kernel(size_t begin) const { return kernel_begins_.count(begin) != 0; }

    /* The first token of the declaration that token i is in: `template` or a specifier. */
    size_t declaration_start(size_t i) const;

    /* Variables of the device's that are templates, or instances of one: compilers put those into no
   * section (gcc's bug 41091). */
    struct TemplateVariable {
        size_t keyword, name, end; /* tokens: its first CUDA keyword, its name, and the ; */
        bool managed;
    };
    const std::vector<TemplateVariable> &template_variables() const { return template_variables_; }

    /* How many kernels are defined by that name. */
    int kernels_named(const std::string &name) const;
    /* One of them has a parameter pack. */
    bool is_variadic(const std::string &kernel) const { return variadic_.count(kernel) != 0; }

    /* The section of the variable whose first keyword is token i; null: none is declared there,
   * or no code can write it. All variables lie together, so that the host can be kept from
   * touching them. */
    const char *section(size_t i) const;

  private:
    size_t read_declaration(size_t i);
    bool note_lambda(size_t i);
    void note_function(const DeviceFunction &f);
    void note_variable(size_t i, size_t end);
    void note_template_variable(size_t i, size_t end, bool managed);
    bool is_keyword(size_t i) const;
    bool has_pack(const DeviceFunction &f) const;
    bool read_function(size_t i, DeviceFunction *f, size_t *end, bool *variable) const;
    bool read_body(size_t open, size_t name, DeviceFunction *f) const;
    bool opens_namespace(size_t open) const;

    std::vector<DeviceFunction> functions_;
    std::vector<std::pair<size_t, size_t>> lambdas_;
    std::map<std::string, int> kernels_;
    std::set<std::string> names_, variadic_;
    std::set<size_t> kernel_begins_;
    std::map<size_t, const char *> sections_; /* by the keyword's token */
    std::vector<TemplateVariable> template_variables_;
};

#endif
