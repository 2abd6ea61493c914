# SPDX-License-Identifier: Apache-2.0
"""built_for_here: a program in the configuration in which Bazel itself runs it.

What builds use anyway is not built a second time for the tests that run it.
"""

def _built_for_here_impl(ctx):
    out = ctx.actions.declare_file(ctx.label.name)
    ctx.actions.symlink(output = out, target_file = ctx.executable.program, is_executable = True)
    return [DefaultInfo(executable = out, files = depset([out]), runfiles = ctx.runfiles([out]))]

built_for_here = rule(
    implementation = _built_for_here_impl,
    attrs = {"program": attr.label(executable = True, cfg = "exec", mandatory = True)},
    executable = True,
    doc = "The same program, under this target's name.",
)
