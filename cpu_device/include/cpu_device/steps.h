/* Writes that the threads of a warp make in step.
 *
 * cu_to_cpp makes of a write to an element of a volatile array in device code
 *
 *   ::cpu_device::in_step(array, place)[i] += value;
 *
 * In shared memory the write waits until no thread of the warp can go further without it, and
 * the thread goes on when all that came there have written: so each has read what it wanted of
 * the old values, and reads the new ones next. Elsewhere it is an ordinary write.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_STEPS_H
#define CPU_DEVICE_STEPS_H

#include <type_traits>

#include "cpu_device/sync.h"
#include "cpu_device/warp.h"

namespace cpu_device {

/* The lanes of the warp that come to the same place of the program. Of several places the
 * first goes on first, so that lanes which skipped it wait for the others. */
inline void step(uintptr_t place) { meet(0, (const void *)place, 0, WarpOperation::kBallot); }

template <class T>
class StepElement {
 public:
  StepElement(volatile T &element, uintptr_t place) : element_(element), place_(place) {}

  T operator=(T value) const { return write(value); }
  T operator+=(T value) const { return write((T)(element_ + value)); }
  T operator-=(T value) const { return write((T)(element_ - value)); }
  T operator*=(T value) const { return write((T)(element_ * value)); }
  T operator/=(T value) const { return write((T)(element_ / value)); }
  T operator&=(T value) const { return write((T)(element_ & value)); }
  T operator|=(T value) const { return write((T)(element_ | value)); }
  T operator^=(T value) const { return write((T)(element_ ^ value)); }
  T operator=(const StepElement &other) const { return write(other.element_); }

 private:
  T write(T value) const {
    if (!is_shared_address((const void *)&element_)) return element_ = value;
    step(2 * place_);
    element_ = value;
    step(2 * place_ + 1);
    return value;
  }

  volatile T &element_;
  uintptr_t place_;
};

template <class T>
struct StepPointer {
  volatile T *pointer;
  uintptr_t place;
  template <class I>
  StepElement<T> operator[](I i) const {
    return {pointer[i], place};
  }
};

template <class X>
constexpr bool is_step_pointer =
    std::is_pointer_v<std::decay_t<X>> &&
    std::is_volatile_v<std::remove_pointer_t<std::decay_t<X>>> &&
    std::is_arithmetic_v<std::remove_pointer_t<std::decay_t<X>>>;

/* Other types that have the same name somewhere in the function are left as they are. */
template <class X>
inline decltype(auto) in_step(X &&x, [[maybe_unused]] uintptr_t place) {
  if constexpr (is_step_pointer<X>)
    return StepPointer<std::remove_cv_t<std::remove_pointer_t<std::decay_t<X>>>>{x, place};
  else
    return static_cast<X &&>(x);
}

}  // namespace cpu_device

#endif
