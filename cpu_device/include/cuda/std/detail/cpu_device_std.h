/* cuda::std is the C++ library's own namespace on the CPU device.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef CPU_DEVICE_STD_H
#define CPU_DEVICE_STD_H
#include "cpu_device/names_begin.h"

#include <cstddef>

namespace cuda {
namespace std {
using namespace ::std;
}
} // namespace cuda

#include "cpu_device/names_end.h"

#endif
