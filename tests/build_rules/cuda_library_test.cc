/* SPDX-License-Identifier: Apache-2.0 */
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/build_rules/base.h"
#include "tests/build_rules/c_user.h"

TEST(CudaLibrary, LinksTwoSourcesOfOneName) {
  EXPECT_EQ(25, square_one(5));
  EXPECT_EQ(36, square_two(6));
}

TEST(CudaLibrary, CarriesFlagsAndSymbolsToCAndCpp) { EXPECT_EQ(2 * 9 + BASE_DEFINE, from_c(3)); }

TEST(CudaLibrary, CarriesItsDataToTests) {
  FILE *file = fopen("tests/build_rules/numbers.txt", "r");
  ASSERT_NE(nullptr, file);
  int number = 0;
  EXPECT_EQ(1, fscanf(file, "%d", &number));
  EXPECT_EQ(42, number);
  fclose(file);
}
