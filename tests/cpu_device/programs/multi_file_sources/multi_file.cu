/* A program of several files: kernels and their wrappers in two .cu files, a .cuh with inline
 * device functions and a template, a C++ and a C file on the host side.
 * Prints: mean 49.50, deviation 28.87
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "stats.cuh"
#include "host.h"

int main(int argc, char **argv) {
  const int n = 100000;
  Vector v = make_vector(n);
  for (int i = 0; i < n; i++) v.data[i] = (float)((i * 37) % 100);
  Stats s = compute_stats(v);
  double mean = host_mean(v.data, n);
  print_stats("values", s.mean, s.deviation);
  free_vector(&v);
  double off = s.mean - mean;
  return !(off < 1e-6 && off > -1e-6);
}
