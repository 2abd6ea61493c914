/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "bazel/build_info.h"

TEST(BuildInfo, NamesTheDeviceThatSelectChose) { EXPECT_STREQ(EXPECTED_DEVICE, BUILD_DEVICE); }

TEST(BuildInfo, GivesTheReasonAsASentence) {
  std::string reason = BUILD_DEVICE_REASON;
  ASSERT_FALSE(reason.empty());
  EXPECT_EQ('.', reason.back()) << reason;
}

TEST(BuildInfo, ListsArchitecturesOnTheGpuOnly) {
  EXPECT_EQ(strcmp(BUILD_DEVICE, "gpu") == 0, strlen(BUILD_ARCHS) > 0);
  EXPECT_EQ(strlen(BUILD_ARCHS) > 0, strlen(BUILD_TOOLKIT_VERSION) > 0);
}

TEST(BuildInfo, AgreesWithTheRuntimeThatIsLinked) {
  int version = 0;
  ASSERT_EQ(cudaSuccess, cudaRuntimeGetVersion(&version));
  std::string linked = std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
  if (strcmp(BUILD_DEVICE, "gpu") == 0) {
    EXPECT_EQ(linked, BUILD_TOOLKIT_VERSION);
  }
}

TEST(BuildInfo, NamesTheCompilationMode) {
  std::string mode = BUILD_COMPILATION_MODE;
  EXPECT_TRUE(mode == "fastbuild" || mode == "opt" || mode == "dbg") << mode;
}

TEST(BuildInfo, TellsCpuDeviceCodeFromGpuCode) {
#ifdef LAB_CPU_DEVICE
  EXPECT_STREQ("cpu", BUILD_DEVICE);
#else
  EXPECT_STREQ("gpu", BUILD_DEVICE);
#endif
}
