/* kernel<<<grid, block>>>(arguments) as a call of the runtime.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_LAUNCH_CALLS_H
#define CPU_DEVICE_TRANSLATOR_LAUNCH_CALLS_H

#include <string>

#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/names.h"
#include "cpu_device/translator/refuse/launch_rules.h"
#include "cpu_device/translator/cut/phases.h"

class LaunchCalls : private Rewriter {
  public:
    struct Known { /* of the program */
        const Names &names;
        const Phases &phases;
        const DeviceCode &device;
    };
    LaunchCalls(const Source &src, const Known &known, Edits *edits)
        : Rewriter(src, edits), known_(known), rules_(src, known.names) {}

    /* Token i is the first of <<<. Formatters write `<< <` and `>> >`. */
    bool begins(size_t i) const;

    /* Rewrites the launch whose <<< is at token i, or fails. */
    void rewrite(size_t i);

  private:
    struct Launch {
        size_t first, open, close; /* tokens: of the kernel's name, of <<<, of >>> */
        size_t base;               /* the name without template arguments */
        size_t arguments;          /* the parenthesis */
        bool named;                /* by the kernel's own name */
    };
    bool read(size_t i, Launch *l);
    size_t callee_start(size_t i) const;
    bool names_kernel(size_t first, size_t base) const;
    bool ends_head(size_t i) const;
    bool continues_statement(size_t i) const;
    size_t configuration_end(size_t i) const;
    size_t arguments_between(size_t first, size_t last) const;
    bool check_shape(const Launch &l);
    bool check_kernel(const Launch &l);
    std::string plain_call(const Launch &l) const;
    std::string kind(const Launch &l) const;
    std::string runtime_arguments(const Launch &l) const;
    std::string pointer_arguments(const Launch &l, const std::string &checked) const;
    std::string place(const Launch &l) const;

    const Known known_;
    const LaunchRules rules_;
};

#endif
