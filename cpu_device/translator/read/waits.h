/* Which device functions never wait: nothing in them can make a thread wait for another. That is
 * so only if each call in them is of a function that is known not to, and there is neither a
 * barrier, nor a volatile access, nor a loop that another thread's atomic operation may have to
 * end. What is not known waits.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_WAITS_H
#define CPU_DEVICE_TRANSLATOR_WAITS_H

#include <map>
#include <string>
#include <vector>

#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/read/program_types.h"
#include "cpu_device/translator/read/volatile_names.h"
#include "cpu_device/translator/tokens.h"

class Waits : private Tokens {
  public:
    Waits(const Source &src, const ProgramTypes &types, const DeviceCode &device)
        : Tokens(src), types_(types), device_(device), volatile_names_(src) {}

    /* Reads all device code. */
    void read();

    struct Reason {
        size_t token; /* 0: it never waits */
        std::string what;
    };
    /* Where a function of that name may wait first, of all that bear it. */
    Reason reason(const std::string &name) const;
    bool never(const std::string &name) const {
        return is_function(name) && reason(name).token == 0;
    }
    bool is_function(const std::string &name) const { return by_name_.count(name) != 0; }

    /* In the function that begins at that token a loop may wait for another thread's atomic operation. */
    bool spins(size_t begin) const;

    /* A constructor, destructor or operator of the program's may wait; no call shows where. */
    const Reason &unnamed() const { return unnamed_; }

  private:
    struct Function {
        std::string name; /* "": a constructor, a destructor, an operator, a lambda */
        size_t begin, body, body_end;
        size_t scope; /* where what its names mean may be declared first */
        Reason reason;
        bool loops, atomics;
        std::vector<std::pair<std::string, size_t>> calls; /* of device functions */
        std::vector<size_t> objects; /* calls of function objects and pointers */
    };

    void add(const std::string &name, size_t begin, size_t body, size_t body_end, size_t scope);
    void read_body(Function *f) const;
    void read_call(size_t i, Function *f) const;
    void find_unnamed();
    size_t unnamed_body(size_t i) const;
    bool is_of_device(size_t i) const;
    bool declares_variable(size_t i) const;
    size_t function_around(size_t i) const;
    bool is_object(size_t i, const Function &f) const;
    bool result_is_used(size_t i) const;
    bool propagate();

    const ProgramTypes &types_;
    const DeviceCode &device_;
    const VolatileNames volatile_names_;
    std::vector<Function> functions_;
    std::map<std::string, std::vector<size_t>> by_name_; /* into functions_ */
    Reason unnamed_ = {0, ""};
};

#endif
