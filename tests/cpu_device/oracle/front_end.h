/* What clang, a real front end, says of the variables in a .cu program's functions: for tests, to
 * compare the translator's reader with. The kit itself never needs clang.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef TESTS_CPU_DEVICE_ORACLE_FRONT_END_H
#define TESTS_CPU_DEVICE_ORACLE_FRONT_END_H

#include <map>
#include <string>
#include <tuple>

namespace oracle {

/* Lines and columns count from 1; line 0: nowhere. */
struct Place {
    std::string file;
    int line = 0, column = 0;
    bool operator<(const Place &o) const {
        return std::tie(file, line, column) < std::tie(o.file, o.line, o.column);
    }
    bool operator==(const Place &o) const {
        return std::tie(file, line, column) == std::tie(o.file, o.line, o.column);
    }
};

/* Written as the compilers do: FILE:LINE:COLUMN. */
std::string text_of(const Place &p);

/* ./kernels/tuned/random.h is kernels/tuned/random.h. */
std::string without_dot(const std::string &file);

/* What is known of a program's functions; what macros made is left out. */
struct Facts {
    struct Variable {
        std::string name;
        std::string kind; /* in the words of cpu_device/translator/cut/beliefs.h */
        Place function;   /* whose parameter or local it is: where that one's name stands */
        bool constant;    /* a number: clang may print its value in place of its name */
    };
    std::map<Place, Variable> variables; /* by the place of the name, where it is declared */
    std::map<Place, Place> uses;         /* of names, elsewhere: where what they mean is declared */
};

/* The command of a clang that can print what it knows of CUDA programs; "": *why says what is missing. */
std::string find_clang(std::string *why);

/* Reads the program (a path from the root of the kit) with that clang, which puts files of its own in
 * the folder `scratch`; false: *why holds clang's first error. */
bool read_program(const std::string &clang, const std::string &program, const std::string &scratch,
                  Facts *facts, std::string *why);

/* Whatever JSON documents of clang's stand in the text, one behind the other. */
Facts facts_of(const std::string &json);

} // namespace oracle

#endif
