# SPDX-License-Identifier: Apache-2.0
"""absent_headers: writes a header for each name, which only refuses."""

load(":include_absent/names.bzl", "OF_OTHERS", "OF_TOOLKIT")

_SEE = "see docs/cpu_device.md, 'What is supported'"

def _absent_headers_impl(ctx):
    reasons = {
        name: "is not supported on the CPU device: " + _SEE
        for name in OF_TOOLKIT
    }
    for name, owner in OF_OTHERS.items():
        reasons[name] = ("is %s's and no part of the CPU device: install it, and name its folder with -I; " % owner) + _SEE
    headers = []
    for name, reason in reasons.items():
        header = ctx.actions.declare_file("include_absent/" + name)
        ctx.actions.write(header, "#error \"<%s> %s\"\n" % (name, reason))
        headers.append(header)
    return [DefaultInfo(files = depset(headers))]

absent_headers = rule(implementation = _absent_headers_impl)
