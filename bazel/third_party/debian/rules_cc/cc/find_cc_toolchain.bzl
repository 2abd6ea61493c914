# SPDX-License-Identifier: Apache-2.0
"""Stand-in for @rules_cc//cc:find_cc_toolchain.bzl (same names and signatures)."""

CC_TOOLCHAIN_TYPE = "@bazel_tools//tools/cpp:toolchain_type"

CC_TOOLCHAIN_ATTRS = {
    "_cc_toolchain": attr.label(default = "@bazel_tools//tools/cpp:current_cc_toolchain"),
}

def find_cc_toolchain(ctx, *, mandatory = True):
    return ctx.attr._cc_toolchain[cc_common.CcToolchainInfo]

def find_cpp_toolchain(ctx):
    return find_cc_toolchain(ctx)

def use_cc_toolchain(mandatory = True):
    return [CC_TOOLCHAIN_TYPE]
