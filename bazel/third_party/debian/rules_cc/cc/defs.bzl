# SPDX-License-Identifier: Apache-2.0
"""Stand-in for @rules_cc//cc:defs.bzl on Bazel 4.2.3, where the rules are built in."""

load("//cc:private_native.bzl", "NativeCcInfo", "native_cc_common")

cc_binary = native.cc_binary
cc_library = native.cc_library
cc_test = native.cc_test
cc_import = native.cc_import

# @bazel_tools//tools/cpp and @local_config_cc load these from @rules_cc.
cc_toolchain = native.cc_toolchain
cc_toolchain_suite = native.cc_toolchain_suite

cc_common = native_cc_common
CcInfo = NativeCcInfo
