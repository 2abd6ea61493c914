# SPDX-License-Identifier: Apache-2.0
"""A library that is not installed: stops what needs it with a message of one line."""

load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

def _missing_library_impl(ctx):
    fail(ctx.attr.message)

missing_library = rule(
    implementation = _missing_library_impl,
    attrs = {"message": attr.string(mandatory = True)},
    provides = [CcInfo],
)
