/* What nvcc builds with a warning and the compiler behind us refuses, made right:
 *
 *   case 0: int a = 3; ... break; case 1:    a jump past an initialisation, in device code: braces
 *                                            around it, or int a; a = 3; where case 1 says a
 *   end: }                                   a label without a statement: a ; behind it
 *   const const int a                        once is enough
 *
 * Narrowing in braces is a warning by the compiler's own flag (bazel/cuda.bzl).
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_LENIENCIES_H
#define CPU_DEVICE_TRANSLATOR_LENIENCIES_H

#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/read/places.h"

class Leniencies : private Rewriter {
  public:
    struct Known { /* of the program */
        const Places &places;
        const DeviceCode &device;
    };
    Leniencies(const Source &src, const Known &known, Edits *edits)
        : Rewriter(src, edits), known_(known) {}

    void write();

  private:
    bool is_label(size_t i) const;
    void close_label(size_t colon);
    void drop_repeated(size_t i);
    void brace_cases(size_t open);
    size_t label_end(size_t i, size_t close) const;
    size_t initialised(size_t i, size_t end) const;
    bool for_device_alone(size_t i) const;
    bool split(size_t first, size_t end);

    const Known known_;
};

#endif
