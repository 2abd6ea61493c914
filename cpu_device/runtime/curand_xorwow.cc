/* Far jumps of cuRAND's generator XORWOW.
 *
 * A step is a linear map of its 160 bits of state over the field of two elements, so 2^k steps
 * are the k-th square of that map's matrix.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include <mutex>
#include <vector>

#include "cpu_device/thread.h"
#include "curand_kernel.h"

namespace cpu_device {
namespace {

enum { kWords = 5, kBits = 32 * kWords, kSequenceBits = 67, kMatrices = kSequenceBits + 64 };

struct Vector {
    uint32_t words[kWords];
};

/* Column i: what becomes of the state of which bit i alone is set. */
struct Matrix {
    Vector columns[kBits];

    Vector operator*(const Vector &v) const {
        Vector r = {};
        for (int i = 0; i < kBits; ++i) {
            const uint32_t all = 0u - (v.words[i / 32] >> i % 32 & 1);
            for (int k = 0; k < kWords; ++k) r.words[k] ^= columns[i].words[k] & all;
        }
        return r;
    }
};

std::vector<Matrix> make_powers() {
    std::vector<Matrix> powers(kMatrices);
    for (int i = 0; i < kBits; ++i) {
        curandStateXORWOW state = {};
        state.words[i / 32] = 1u << i % 32;
        curand(&state);
        memcpy(powers[0].columns[i].words, state.words, sizeof state.words);
    }
    for (int k = 1; k < kMatrices; ++k)
        for (int i = 0; i < kBits; ++i)
            powers[k].columns[i] = powers[k - 1] * powers[k - 1].columns[i];
    return powers;
}

} // namespace

void xorwow_jump(uint32_t *words, uint64_t steps, uint64_t sequences) {
    if (!steps && !sequences) return;
    /* In a kernel, no thread may be preempted in the middle. */
    const Interruptible before = (Interruptible)t_thread.interruptible;
    set_interruptible(kInRuntime);
    static const std::vector<Matrix> &powers = *new std::vector<Matrix>(make_powers());
    Vector v;
    memcpy(v.words, words, sizeof v.words);
    for (int k = 0; k < 64; ++k) {
        if (steps >> k & 1) v = powers[k] * v;
        if (sequences >> k & 1) v = powers[kSequenceBits + k] * v;
    }
    memcpy(words, v.words, sizeof v.words);
    set_interruptible(before);
}

} // namespace cpu_device
