/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HOST_H
#define HOST_H

typedef struct {
  float *data;
  int count;
} Vector;

double host_mean(const float *x, int n);

#ifdef __cplusplus
extern "C" {
#endif
Vector make_vector(int count);
void free_vector(Vector *v);
void print_stats(const char *name, double mean, double deviation);
#ifdef __cplusplus
}
#endif
#endif
