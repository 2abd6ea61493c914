/* Kernels that the runtime is to find by their address, for cudaLaunchKernel and graphs.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_KERNEL_TABLE_H
#define CPU_DEVICE_TRANSLATOR_KERNEL_TABLE_H

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/edits.h"

class KernelTable : private Rewriter {
  public:
    KernelTable(const Source &src, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), device_(device) {}

    /* Behind each kernel that is no template, its entry; in all of them, what asks for a launch and what
   * they say of themselves. */
    void write();

    /* The name at token i may take a kernel's address, where a kernel<T> stands behind a cast to
   * void *: the cast goes, or becomes a call that registers how to run it. */
    void keep_types(size_t i);

    /* Takes away __cluster_dims__(x, y, z) at token i, if that stands there: the entry holds it. */
    void remove_cluster_dims(size_t i);

  private:
    void guard(const DeviceFunction &f);
    bool template_instance(const DeviceFunction &f, std::string *name);
    void find_bounds();
    std::string bounds_of(const DeviceFunction &f) const;
    void write_body(const DeviceFunction &f);
    std::string parameters(const DeviceFunction &f) const;
    std::string cluster_dims(const DeviceFunction &f, const std::string &name) const;
    bool is_cluster_dims(size_t i) const;
    void drop_kernel_cast(size_t i);
    void know_kernel(size_t i);

    const DeviceCode &device_;
    /* By kernels' names: the token of each __launch_bounds__, and its arguments. */
    std::map<std::string, std::vector<std::pair<size_t, std::string>>> bounds_;
};

#endif
