/* SPDX-License-Identifier: Apache-2.0 */
#include <cstdio>

#include "helper.h"

namespace {
struct Initialiser {
  const char *text;
  Initialiser() : text("static initialiser ran") {}
} initialiser;
}  // namespace

void print_values(const int *values, int n) {
  for (int i = 0; i < n; i++) std::printf("%d ", values[i]);
  std::printf("(%d values, %s)\n", n, initialiser.text);
}
