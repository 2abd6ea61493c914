/* SPDX-License-Identifier: Apache-2.0 */
/* One side of the comparison: something that runs the cases. Its main() is
 * `return side_main(argc, argv, &side)`, which measures one case and prints one JSON object. */
#ifndef BENCHMARKS_PEERS_SIDE_H
#define BENCHMARKS_PEERS_SIDE_H

#include "benchmarks/peers/problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions that return false have said why on standard error. */
typedef struct Side {
    const char *name;
    /* null, or why it has no such kernel: then nothing is measured. */
    const char *(*lacks)(PeerCaseId id);
    /* Builds kernels if it has to, allocates, copies the inputs. Called once. */
    bool (*open)(const Problem *p);
    /* All launches of the case, and waits for them. */
    bool (*run)(const Problem *p);
    /* Fills the output with bytes of 0xFF, so that nothing that is not written is right. */
    bool (*poison)(const Problem *p);
    bool (*fetch)(const Problem *p, void *out);
    /* Which device, compiler and version this is; called after open. */
    const char *(*describe)(void);
    const char *compiler;     /* that compiled the kernels; null: describe() says it */
    double (*build_ms)(void); /* time that open spent building kernels; null: none */
    bool shares_inputs;       /* no copies of the arrays: it works on the host's own */
} Side;

/* Exit status: 0 right, 1 wrong or failed, 2 bad options, 4 the side lacks the case. */
int side_main(int argc, char **argv, const Side *side);

#ifdef __cplusplus
}
#endif

#endif
