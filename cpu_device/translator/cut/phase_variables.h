/* The variables of a function that is to be cut into phases: which are the same for all threads
 * of a block, which can be computed anew, where they change.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_PHASE_VARIABLES_H
#define CPU_DEVICE_TRANSLATOR_PHASE_VARIABLES_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/cut/reader.h"

/* Declared among the statements around cuts, not within what becomes a phase. */
struct PhaseVariable {
    std::string name;
    Declaration declaration;
    Declarator declarator;
    size_t scope_end;            /* last token that sees it */
    std::vector<size_t> changes; /* tokens where it may be changed, its declaration apart */
    std::vector<size_t> ifs;     /* the ifs around its declaration, by their first token */
    bool parameter, of_kernel;
    bool in_header; /* declared by the loop, not in its body */
    bool scalar;    /* a number or a pointer */
    bool uniform;   /* the same for all threads, and kept outside of the phases */
    bool derived;   /* computed anew in each phase */
};

class PhaseVariables : private Tokens {
  public:
    struct Surroundings {
        const Names &names;
        const ProgramTypes &types;
        const std::set<std::string> &constants; /* names of numbers that never change */
    };
    PhaseVariables(const Source &src, const Reader &reader, const Surroundings &around)
        : Tokens(src), reader_(reader), around_(around) {}

    /* The function that the reader has read. */
    void find(bool kernel);

    const std::vector<PhaseVariable> &all() const { return all_; }

    /* The variable that the name at token i means; -1: none of them. */
    int at(size_t i) const;

    /* Tokens [first, last] give the same for all threads. */
    bool is_uniform(size_t first, size_t last) const;

    /* The statement declares variables of which all are uniform; or all derived. */
    bool declares_uniform(size_t first) const;
    bool declares_derived(size_t first) const;
    /* ... or variables of different kinds. */
    bool declares_mixture(size_t first) const;
    bool declares(size_t first) const { return declared_.count(first) != 0; }
    const std::vector<int> &declared(size_t first) const { return declared_.at(first); }

    /* The statement changes one uniform variable and does nothing else. */
    bool changes_uniform(const Statement &s) const;

  private:
    struct Site { /* where changes leave a variable uniform */
        size_t first, last;
        std::vector<size_t> ifs; /* ifs around it, as first token and close of the condition */
        bool header;
        size_t loop_last; /* of a header: the loop's last token */
    };

    void collect(const std::vector<Statement> &list);
    void collect_part(const Statement &s);
    bool declare(size_t first, bool in_header, bool cut);
    PhaseVariable variable_of(const Declaration &d, const Declarator &one);
    void find_uniform();
    bool changes_stay_uniform(const PhaseVariable &v) const;
    void find_derived();
    bool is_derived_from(size_t first, size_t last, size_t user) const;
    bool same_for_all(size_t i) const;
    bool token_is_plain(size_t i, size_t first) const;
    bool is_assignment(size_t i) const;

    const Reader &reader_;
    const Surroundings around_;
    std::vector<PhaseVariable> all_;
    std::map<int, int> places_;                   /* in all_, by the reader's number */
    std::map<size_t, std::vector<int>> declared_; /* by a declaration's first token */
    std::set<size_t> not_uniform_;                /* declarations whose initialiser has a cut */
    std::vector<Site> sites_;
    std::vector<size_t> ifs_;                                /* around what is collected now */
    std::map<size_t, std::pair<size_t, size_t>> conditions_; /* of an if, by its first token */
};

#endif
