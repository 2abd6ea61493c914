/* Loops in which a thread may wait for a change in memory: they say so to the runtime in each round
 * (cpu_device/spin.h).
 *
 *   while (next[i + 1] == -1) { }    becomes    while (::cpu_device::spin(), next[i + 1] == -1) { }
 *
 * Such a loop reads something volatile. One that counts what its condition asks, as those do that go
 * through an array, says so in another way.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_TRANSLATOR_SPINS_H
#define CPU_DEVICE_TRANSLATOR_SPINS_H

#include <set>
#include <string>
#include <vector>

#include "cpu_device/translator/edits.h"
#include "cpu_device/translator/read/device_code.h"
#include "cpu_device/translator/read/volatile_names.h"

class Spins : private Rewriter {
  public:
    Spins(const Source &src, const DeviceCode &device, Edits *edits)
        : Rewriter(src, edits), device_(device), volatile_(src) {}

    /* Changes all loops of the device's code. */
    void write();

  private:
    void look_at(size_t begin, size_t body, size_t end);
    bool reads_volatile(size_t first, size_t last) const;
    std::string counter(size_t i) const;
    bool counts(size_t first, size_t last, size_t condition, size_t condition_end) const;
    bool declares(size_t first, size_t last) const;
    size_t body_end(size_t first) const;
    void loop(size_t i);
    void for_loop(size_t i, size_t last);

    const DeviceCode &device_;
    const VolatileNames volatile_;
    std::set<std::string> readers_; /* functions that read something volatile */
    std::set<std::string> own_;     /* names in the function that is looked at */
};

#endif
