/* What of CUDA the CPU device lacks: it is named by the translator, not by whatever the compiler
 * would say.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_FEATURES_H
#define CPU_DEVICE_TRANSLATOR_FEATURES_H

#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/names.h"

class Features : private Rewriter {
  public:
    Features(const Source &src, const Names &names, Edits *edits)
        : Rewriter(src, edits), names_(names) {}

    /* The name at token i is such a feature's; the first of them in a program is an error. */
    bool lacks(size_t i);

  private:
    std::string feature(size_t i) const;

    const Names &names_;
    bool named_ = false; /* one of them was */
};

#endif
