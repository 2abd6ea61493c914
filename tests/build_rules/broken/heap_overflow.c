/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  (void)argv;
  char *four = malloc(4);
  four[3 + argc] = 1; /* one behind the end: what asan must find */
  printf("%d\n", four[0 * argc]);
  free(four);
  return 0;
}
