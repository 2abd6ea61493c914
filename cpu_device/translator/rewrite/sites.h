/* Says of operations that ask which lanes are there where in the program they stand.
 *
 *   if (c) n = count(a); else n = count(b);     count() asks __activemask()
 *
 * The lanes of the two calls must not be taken for companions, whatever the compiler makes of
 * them: it may inline both or none, and merge two calls that look alike. So each such operation,
 * and each call of a function that has one in it, says its own number, see cpu_device/warp.h:
 *
 *   if (c) n = (::cpu_device::at_site(site), count(a)); else ...
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_SITES_H
#define CPU_DEVICE_TRANSLATOR_SITES_H

#include <set>
#include <string>

#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/rewrite/reconvergence.h"

class Sites : private Rewriter {
  public:
    Sites(const Source &src, const DeviceCode &device, Reconvergence *reconvergence, Edits *edits)
        : Rewriter(src, edits), device_(device), reconvergence_(*reconvergence) {}

    void write();

  private:
    void find_asking();
    bool asks(const DeviceFunction &f) const;
    bool is_call(size_t i) const;
    size_t arguments(size_t i) const;
    size_t callee_start(size_t i) const;
    void write(const DeviceFunction &f);

    const DeviceCode &device_;
    Reconvergence &reconvergence_;
    std::set<std::string> asking_; /* names of operations and functions */
};

#endif
