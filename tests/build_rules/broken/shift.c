/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>

int main(int argc, char **argv) {
  (void)argv;
  printf("%d\n", argc << (31 + argc)); /* by 32: what ubsan must find */
  return 0;
}
