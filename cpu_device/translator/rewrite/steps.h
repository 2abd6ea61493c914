/* Warps that move in step: writes to volatile memory, which older programs let the threads of a
 * warp exchange values through, with no barrier between.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_STEPS_H
#define CPU_DEVICE_TRANSLATOR_STEPS_H

#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/read/volatile_names.h"
#include "cpu_device/translator/tokens.h"

class Steps : private Tokens {
  public:
    Steps(const Source &src, const VolatileNames &names) : Tokens(src), names_(names) {}

    /* A function of the device's: its first token, its { and its }. */
    void read(size_t begin, size_t body, size_t body_end);

    /* An element of volatile memory, tokens [first, last], that is assigned to. */
    struct Write {
        size_t first, last;
        size_t name;    /* the token that says which memory it is */
        size_t end;     /* of the statement */
        size_t body;    /* of the function: its { */
        bool exchanges; /* another one is read since the last write, or for this */
        bool anywhere;  /* in step in all memory; else in shared memory only */
    };
    const std::vector<Write> &writes() const { return writes_; }

    struct Warning {
        size_t token;
        std::string message;
    };
    const std::vector<Warning> &warnings() const { return warnings_; }

  private:
    size_t assigns(size_t i) const;
    size_t left_side(size_t op) const;
    bool is_declaration(size_t first, size_t last) const;
    bool is_bit_field(size_t name) const;
    size_t volatile_name(size_t first, size_t last) const;
    std::string element(size_t name) const;
    bool read_write(size_t op, Write *w) const;
    void find_writes(size_t body, size_t body_end);
    void choose(size_t first_write, size_t body, size_t body_end);
    bool reads_others(const Write &w, size_t first, size_t last) const;
    bool reads(const std::string &name, size_t first, size_t last) const;
    bool is_written(const std::string &name, size_t first, size_t last) const;
    bool is_waited_for(const std::string &name, size_t body, size_t body_end) const;
    bool barriers_between(size_t first, size_t last) const;
    void warn(size_t first_write, size_t body, size_t body_end);

    const VolatileNames &names_;
    std::set<std::string> here_; /* names of volatile memory in the function that is read */
    std::vector<Write> writes_;
    std::vector<Warning> warnings_;
};

#endif
