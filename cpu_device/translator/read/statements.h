/* A function's body as a tree of statements, and declarations among them. Read by their looks.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_STATEMENTS_H
#define CPU_DEVICE_TRANSLATOR_STATEMENTS_H

#include <string>
#include <vector>

#include "cpu_device/translator/tokens.h"

struct Statement {
  enum Kind { kSimple, kBlock, kIf, kFor, kWhile, kDo, kOther };
  Kind kind = kSimple;
  size_t first = 0, last = 0;    /* tokens; of a simple one, last is its ; */
  size_t open = 0, close = 0;    /* the parentheses of an if or a loop */
  size_t other = 0;              /* the token `else`; 0: none */
  std::vector<Statement> parts;  /* a block's statements; what an if or a loop governs */
};

struct Declarator {
  size_t name;
  size_t first, last;            /* its tokens without an initialiser: *x, y[4] */
  size_t init_first, init_last;  /* the initialiser's; 0: none */
  bool array, pointer, reference;
  bool constant;                 /* itself, not what it points at */
};

struct Declaration {
  size_t first, type_last;
  bool builtin;                  /* int, float and such */
  bool is_auto, is_static;
  std::vector<Declarator> declarators;
};

class Statements : protected Tokens {
 public:
  explicit Statements(const Source &src) : Tokens(src) {}

  /* The statements between the braces; false: something is not understood. */
  bool read(size_t open, std::vector<Statement> *list) const;

  /* Tokens [first, end) as a declaration of variables; false: they are none. */
  bool read_declaration(size_t first, size_t end, Declaration *d) const;

  /* The simple statement declares shared variables. */
  bool is_shared(const Statement &s) const;

  /* The & before token i takes an address: no operand stands before it. */
  bool is_address_of(size_t i) const;

  /* The simple statement declares nothing: an expression, or a jump. */
  bool is_expression(const Statement &s) const;

  /* What stands between the commas of [first, end): pairs of first token and end. */
  std::vector<std::pair<size_t, size_t>> between_commas(size_t first, size_t end) const;

 protected:
  /* The token after the <...> at i, if that is what it is; else i. */
  size_t after_angle(size_t i) const;

 private:
  bool read_statement(size_t *i, size_t end, Statement *s) const;
};

#endif
