/* Device variables that are templates. The compiler puts their instances anywhere, so what the
 * program calls by that name becomes a reference to where the runtime keeps such variables:
 *
 *   template <class T> __device__ T sum = 0;
 *
 * becomes
 *
 *   template <class T> T cu_initial_sum = 0;
 *   template <class T> auto &sum = ::cpu_device::placed<false>(cu_initial_sum<T>);
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_TEMPLATE_VARIABLES_H
#define CPU_DEVICE_TRANSLATOR_TEMPLATE_VARIABLES_H

#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/device_code.h"

class TemplateVariables : private Rewriter {
  public:
    TemplateVariables(const Source &src, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), device_(device) {}

    void write();

  private:
    void write(const DeviceCode::TemplateVariable &v);

    const DeviceCode &device_;
};

#endif
