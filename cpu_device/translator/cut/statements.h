/* A function's body as a tree of statements, and the declarations among them: what the reader
 * makes of it, and what kernels are cut by.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_CUT_STATEMENTS_H
#define CPU_DEVICE_TRANSLATOR_CUT_STATEMENTS_H

#include <stddef.h>

#include <vector>

struct Statement {
    enum Kind { kSimple, kBlock, kIf, kFor, kWhile, kDo, kSwitch };
    Kind kind = kSimple;
    size_t first = 0, last = 0;   /* tokens; of a simple one, last is its ; */
    size_t open = 0, close = 0;   /* the parentheses of an if or a loop */
    size_t other = 0;             /* the token `else`; 0: none */
    bool shared = false;          /* declares shared variables */
    std::vector<Statement> parts; /* a block's statements; what an if or a loop governs */
};

struct Declarator {
    size_t name;
    size_t first, last;           /* its tokens without an initialiser: *x, y[4] */
    size_t init_first, init_last; /* the initialiser's; 0: none */
    bool array, pointer, reference;
    bool constant; /* itself, not what it points at */
};

struct Declaration {
    size_t first, type_last;
    bool builtin; /* int, float and such */
    bool is_auto, is_static;
    std::vector<Declarator> declarators;
};

#endif
