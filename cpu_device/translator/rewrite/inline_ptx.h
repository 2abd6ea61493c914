/* asm volatile("..." : outputs : inputs : ...) in device code, which is PTX.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_INLINE_PTX_H
#define CPU_DEVICE_TRANSLATOR_INLINE_PTX_H

#include <string>

#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/names.h"

class InlinePtx : private Rewriter {
  public:
    InlinePtx(const Source &src, const Names &names, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), names_(names), device_(device) {}

    /* Rewrites the statement at token i, or fails for what is not known; false: it is none. */
    bool rewrite(size_t i);

  private:
    std::string operand(size_t first, size_t end) const;

    const Names &names_;
    const DeviceCode &device_;
};

#endif
