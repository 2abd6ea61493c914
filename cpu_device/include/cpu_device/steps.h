/* Writes that the threads of a warp make in step.
 *
 * cu_to_cpp makes of a write to an element of volatile memory in device code
 *
 *   ::cpu_device::in_step<true>(array[i], site) += value;
 *
 * The write waits until no thread of the warp can go further without it, and the thread goes on
 * when all that came there have written: so each has read what it wanted of the old values, and
 * reads the new ones next. With false that is so in shared memory only: what is written may be a
 * flag in global memory, which no thread should have to wait for. Local memory is written at once.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_STEPS_H
#define CPU_DEVICE_STEPS_H

#include <type_traits>

#include "cpu_device/alignment.h"
#include "cpu_device/sync.h"
#include "cpu_device/warp.h"

namespace cpu_device {

/* The lanes of the warp that come to the same place of the program. Of several places the
 * first goes on first, so that lanes which skipped it wait for the others. */
inline void step(uint64_t site) { meet(0, (const void *)site, 0, WarpOperation::kBallot); }

/* In a loop's condition. */
inline bool stepped(uint64_t site) {
    step(site);
    return true;
}

template <class T, bool anywhere>
class StepElement {
  public:
    StepElement(volatile T &element, uint64_t site) : element_(element), site_(site) {}

    template <class U>
    T operator=(U value) const {
        return write((T)value);
    }
    T operator=(const StepElement &other) const { return write(other.element_); }
#define CPU_DEVICE_STEP_(op)                  \
    template <class U>                        \
    T operator op##=(U value) const {         \
        return write((T)(element_ op value)); \
    }
    CPU_DEVICE_STEP_(+)
    CPU_DEVICE_STEP_(-)
    CPU_DEVICE_STEP_(*)
    CPU_DEVICE_STEP_(/)
    CPU_DEVICE_STEP_(%)
    CPU_DEVICE_STEP_(&)
    CPU_DEVICE_STEP_(|)
    CPU_DEVICE_STEP_(^)
    CPU_DEVICE_STEP_(<<)
    CPU_DEVICE_STEP_(>>)
#undef CPU_DEVICE_STEP_

  private:
    bool is_in_step() const {
        const void *const address = (const void *)&element_;
        return anywhere ? !is_on_own_stack(address) : is_shared_address(address);
    }
    T write(T value) const {
        volatile T &element = *aligned<16>(&element_);
        if (!is_in_step()) return element = value;
        step(site_);
        element = value;
        step(site_ + 1);
        return value;
    }

    volatile T &element_;
    uint64_t site_;
};

/* Other elements, of memory that has the same name somewhere in the program, stay what they are. */
template <bool anywhere, class E>
inline decltype(auto) in_step(E &&element, [[maybe_unused]] uint64_t site) {
    using T = std::remove_reference_t<E>;
    if constexpr (std::is_lvalue_reference_v<E> && std::is_volatile_v<T> && !std::is_const_v<T> &&
                  std::is_arithmetic_v<T>)
        return StepElement<std::remove_cv_t<T>, anywhere>(element, site);
    else return static_cast<E &&>(element);
}

} // namespace cpu_device

#endif
