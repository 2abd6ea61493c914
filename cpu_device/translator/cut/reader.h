/* The one reader of the small language in which kernels can be cut. The language is written down in
 * cut/LANGUAGE.md; what a function holds that does not belong to it is an answer here, not an
 * oversight: the function stays whole, and the reader says at which token and why.
 *
 *   reader.cc               functions, statements
 *   reader_declarations.cc  declarations
 *   reader_expressions.cc   expressions
 *   reader_calls.cc         calls
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_CUT_READER_H
#define CPU_DEVICE_TRANSLATOR_CUT_READER_H

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/cut/statements.h"
#include "cpu_device/translator/read/names.h"
#include "cpu_device/translator/read/program_types.h"
#include "cpu_device/translator/read/waits.h"

class Reader : public Tokens {
  public:
    struct Refusal {
        size_t token;
        std::string why;
    };
    /* Of a device function that was read before this one. */
    struct Callee {
        bool cut;           /* it has a form for a whole block */
        bool keeps_nothing; /* of what its arguments point at or refer to */
        bool takes_references;
        bool waits_itself; /* there are cuts in it */
        Refusal why;       /* it is not cut */
    };
    struct Program {
        const Names &names;
        const ProgramTypes &types;
        const Waits &waits;
        const std::set<std::string> &constants;                    /* numbers that never change */
        std::function<const Callee *(const std::string &)> callee; /* null: not read */
    };
    /* kCut: a function with cuts in it. kUncut: one that runs within a phase of its caller's, which
   * may give it addresses of its locals. */
    enum Purpose { kCut, kUncut };

    Reader(const Source &src, const Program &program, Purpose purpose)
        : Tokens(src), program_(program), purpose_(purpose) {}

    /* Reads the function with that name, body and first token; false: refusal() says why not. */
    bool read(size_t begin, size_t name, size_t body);
    const Refusal &refusal() const { return refusal_; }

    /* What the words of a declaration name, whatever stands around the variable's name. */
    enum class Base { kNumber, kValue, kStructure, kTemplateType, kVoid, kAuto, kBlock };

    struct Variable {
        enum Storage { kParameter, kLocal, kShared, kGroup };
        std::string name;
        Storage storage;
        Base base;
        size_t token, scope_end; /* where it is declared, and the last token that sees it */
        bool kept;               /* declared among statements around cuts */
        bool pointer, reference;
        size_t dims;
        const ProgramTypes::Members *members; /* of a structure; else null */
        std::vector<size_t> changes; /* tokens where it may be changed, its declaration apart */
    };
    const std::vector<Variable> &variables() const { return variables_; }
    /* The variable that the name at token i means; -1: none of the function's. */
    int variable_at(size_t i) const;
    /* All those names, by token: declarations and uses. */
    const std::map<size_t, int> &meanings() const { return meanings_; }
    size_t function_name() const { return function_name_; }

    const std::vector<Statement> &statements() const { return statements_; }
    const std::vector<Declaration> &parameters() const { return parameters_; }
    /* The declaration that begins at token `first`; null: none does. */
    const Declaration *declaration(size_t first) const;
    /* The statement that begins there is a barrier of the block's; or declares a group. */
    bool is_barrier(size_t first) const { return barriers_.count(first) != 0; }
    bool declares_group(size_t first) const { return groups_.count(first) != 0; }

    /* What stands between the commas of [first, end), pairs of first token and end; none if it is empty. */
    std::vector<std::pair<size_t, size_t>> pieces(size_t first, size_t end) const;

    /* Before the function: `template <...> `, its parameters' names, those of them that are types. */
    struct Template {
        size_t first = 0;            /* the function's first token, or template's */
        std::string text, arguments; /* "template <class T> " and "<T>"; empty: none */
        std::vector<std::string> types;
        std::set<std::string> values;
    };
    const Template &template_parameters() const { return template_; }

    /* Tokens [first, last] hold a barrier, a warp operation, or a call of a function that is cut. */
    bool cuts(size_t first, size_t last) const;
    /* Token i is the name of such a call. */
    bool is_cut(size_t i) const;

  private:
    struct Refused {}; /* thrown */
    /* What an expression gives. */
    struct Value {
        bool lvalue = false;
        bool direct = false;  /* a variable by its name, and no part of it */
        int root = -1;        /* the variable of the function's that it lies in */
        size_t token = 0;     /* that one's name */
        size_t dims = 0;      /* it is an array */
        bool address = false; /* it may hold the address of a local variable */
        const ProgramTypes::Members *members = nullptr;
    };
    struct Type {
        size_t last; /* its last token */
        Base base;
        bool builtin, is_auto, is_static, constant, is_group;
        const ProgramTypes::Members *members;
    };

    [[noreturn]] void refuse(size_t i, const std::string &why);
    void require(size_t i, bool holds, const std::string &why) {
        if (!holds) refuse(i, why);
    }
    void expect(const char *punctuation);
    std::string quoted(size_t i) const { return "'" + text(i) + "'"; }

    /* ---- functions and statements ---- */
    void read_template(size_t begin);
    void read_parameters(size_t open, size_t body);
    void block(size_t open, bool kept, std::vector<Statement> *list);
    Statement statement(bool kept);
    void part(Statement *s, bool kept);
    Statement for_statement(bool kept);
    Statement switch_statement();
    Statement simple_statement(bool kept);
    bool declares_shared(size_t i) const;
    size_t after_whole_block(size_t i) const;
    bool barrier_statement();
    void condition(size_t open);
    size_t end_of_statement(size_t i) const;
    bool is_compound(size_t i) const;
    size_t enter() const { return scope_.size(); }
    void leave(size_t mark) { scope_.resize(mark); }

    /* ---- declarations ---- */
    bool begins_type(size_t i) const;
    bool begins_declaration() const;
    Type read_type(bool shared);
    void read_declaration(bool kept);
    void shared_declaration();
    void group_declaration(size_t first);
    void declarator(Declaration *d, const Type &type, bool kept, Variable::Storage storage);
    void initialiser(Declarator *d, int variable);
    void braces();
    void length();
    int declare(const Variable &v);
    void skip_attribute();

    /* ---- expressions ---- */
    Value expression();
    Value assignment();
    Value conditional();
    Value binary();
    Value unary();
    Value postfix();
    Value primary();
    Value parenthesis();
    Value name();
    Value variable(int k, size_t i);
    Value subscript(Value base);
    Value member(Value base);
    Value size_of();
    Value named_cast();
    bool names_pointer(size_t first, size_t end) const;
    Value converted(Value v, bool to_pointer, size_t i);
    Value qualified();
    Value rvalue(Value v, size_t i);
    void change(const Value &v, size_t i);
    void foreign(size_t i);
    size_t operator_length(size_t i) const;
    bool is_operator(size_t i, const char *op) const;
    bool is_cast(size_t open) const;
    bool type_name(size_t end); /* tokens up to `end` name a type */
    size_t template_arguments(size_t open);

    /* ---- calls ---- */
    Value call(size_t name);
    Value device_call(size_t name, size_t *open);
    std::string place(size_t i) const;
    std::vector<Value> arguments();
    void conclude(size_t name, const std::vector<Value> &arguments, const Callee *callee);

    int lookup(const std::string &name) const;

    const Program program_;
    const Purpose purpose_;
    size_t at_ = 0;        /* the token to be read next */
    size_t scope_end_ = 0; /* where what is declared there is seen last */
    size_t function_name_ = 0;
    Refusal refusal_ = {0, ""};
    Template template_;
    std::vector<Variable> variables_;
    std::vector<int> scope_;         /* those that can be seen here */
    std::map<size_t, int> meanings_; /* by token */
    std::set<std::string> local_names_, foreign_names_;
    std::map<size_t, Declaration> declarations_; /* by first token */
    std::vector<Declaration> parameters_;
    std::vector<Statement> statements_;
    std::set<size_t> barriers_, groups_;
    std::map<size_t, size_t> angles_; /* of template arguments, < and > */
};

#endif
