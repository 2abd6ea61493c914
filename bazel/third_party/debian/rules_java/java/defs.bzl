# SPDX-License-Identifier: Apache-2.0
"""Stand-in for @rules_java//java:defs.bzl: Bazel 4.2.3's own @bazel_tools//tools/jdk loads it."""

java_binary = native.java_binary
java_import = native.java_import
java_library = native.java_library
java_runtime = native.java_runtime
java_toolchain = native.java_toolchain
