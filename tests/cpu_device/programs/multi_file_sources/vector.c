/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include "host.h"

Vector make_vector(int count) {
  Vector v = {malloc(count * sizeof *v.data), count};
  return v;
}
void free_vector(Vector *v) {
  free(v->data);
  v->data = NULL;
}
void print_stats(const char *name, double mean, double deviation) {
  printf("%s: mean %.2f, deviation %.2f\n", name, mean, deviation);
}
