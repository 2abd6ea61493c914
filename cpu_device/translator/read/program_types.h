/* What a program declares outside of functions, as far as it is certain: names of types
 * that hold plain values, plain variables, namespaces of cooperative groups; and all names that it
 * declares in any way, so that a word of CUDA's is known to be CUDA's.
 *
 * Each answer is a positive one: what is not plainly of a form that is read here is not known.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PROGRAM_TYPES_H
#define CPU_DEVICE_TRANSLATOR_PROGRAM_TYPES_H

#include <map>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "cpu_device/translator/tokens.h"

class ProgramTypes : private Tokens {
  public:
    explicit ProgramTypes(const Source &src);

    enum Kind { kUnknown, kArithmetic, kValue /* of the toolkit's */, kStruct, kThreadBlock };

    /* A member of a struct that is known, or a variable. */
    struct Member {
        bool pointer;
        size_t dims; /* of an array */
    };
    using Members = std::map<std::string, Member>;

    /* The type whose words begin at token i; *after: the token behind them. No specifiers, no
   * pointers. *type: a struct's or an alias's own name. */
    Kind type_at(size_t i, size_t *after, std::string *type = nullptr) const;

    /* The members of a struct with data alone; null: it is none. */
    const Members *members(const std::string &type) const;

    /* The program itself declares the name, as whatever: nothing of CUDA's or C's is meant by it. */
    bool declares(const std::string &name) const { return declared_.count(name) != 0; }

    /* A variable outside of functions, of a plain type and not volatile; null: it is none. */
    const Member *variable(const std::string &name) const;

    /* Some type of the program's, of any kind, bears the name. */
    bool is_type(const std::string &name) const { return types_.count(name) != 0; }

    bool is_enumerator(const std::string &name) const { return enumerators_.count(name) != 0; }
    bool is_enum(const std::string &name) const;

    /* Tokens i and those after it name cooperative_groups, under whatever name; *after: behind ::. */
    bool is_groups_namespace(size_t i, size_t *after) const;

  private:
    struct Type {
        Kind kind;
        bool is_enum;
        int declarations; /* more than one: unknown which is meant */
        Members members;
    };

    void scan(size_t from, size_t to);
    bool is_function_body(size_t open) const;
    void note_declared(size_t i);
    void note_type(const std::string &name, Kind kind, bool is_enum = false,
                   const Members &members = {});
    size_t read_typedef(size_t i);
    size_t read_using(size_t i);
    void read_enum(size_t i);
    void read_struct(size_t i, bool is_typedef);
    bool read_members(size_t open, Members *members) const;
    bool read_variables(size_t first, size_t end, Members *variables) const;
    void read_file_scope(size_t first, size_t end);

    std::map<std::string, Type> types_;
    std::map<std::string, Member> variables_;
    std::map<std::string, int> variable_count_;
    std::unordered_set<std::string> declared_;
    std::set<std::string> enumerators_, groups_;
    bool uses_groups_ = false; /* using namespace cooperative_groups */
};

#endif
