# SPDX-License-Identifier: Apache-2.0
"""Libraries that a Linux distribution's packages installed, as Bazel repositories.

Each repository loads on every machine. Where its package is not installed, only what
needs the library stops, with one line that says how to install it.
"""

_BUILD = """load("@rules_cc//cc:defs.bzl", "cc_library")

cc_library(
    name = "{target}",
    includes = {includes},
    hdrs = glob(["include/*.h"], allow_empty = True),
    linkopts = {linkopts},
    visibility = ["//visibility:public"],
)
"""

_MISSING = """load("@{main}//bazel/third_party/debian:missing.bzl", "missing_library")

[missing_library(
    name = name,
    message = "{message}",
    visibility = ["//visibility:public"],
) for name in {targets}]
"""

def _report_missing(rctx, targets, package, path):
    message = "%s is missing. Run `sh setup.sh`, or install the package %s by hand." % (path, package)
    rctx.file("BUILD", _MISSING.format(main = "cuda_lab", message = message, targets = targets))

def _system_library_impl(rctx):
    target = rctx.attr.target or rctx.name
    header = rctx.path("/usr/include/" + rctx.attr.header)
    if not header.exists:
        _report_missing(rctx, [target], rctx.attr.package, header)
        return
    if rctx.attr.include_dir:
        for entry in rctx.path("/usr/include/" + rctx.attr.include_dir).readdir():
            rctx.symlink(entry, "include/" + entry.basename)
    rctx.file("BUILD", _BUILD.format(
        target = target,
        includes = ["include"] if rctx.attr.include_dir else [],
        linkopts = rctx.attr.linkopts,
    ))

system_library = repository_rule(
    implementation = _system_library_impl,
    attrs = {
        "header": attr.string(mandatory = True, doc = "under /usr/include; missing: not installed"),
        "include_dir": attr.string(doc = "folder under /usr/include whose headers are also found without it"),
        "linkopts": attr.string_list(),
        "package": attr.string(mandatory = True, doc = "Debian's package"),
        "target": attr.string(doc = "the cc_library's name; the repository's if empty"),
    },
    configure = True,
    local = True,
)

def _googletest_sources_impl(rctx):
    top = rctx.path("/usr/src/googletest")
    if not rctx.path("/usr/src/googletest/googletest/src/gtest-all.cc").exists:
        _report_missing(rctx, ["gtest", "gtest_main"], "googletest", top)
        return
    for name in ["googletest", "googlemock"]:
        rctx.symlink("/usr/src/googletest/" + name, name)

    # The distribution's package may hold BUILD files of its own; ours stands above them.
    rctx.symlink(rctx.attr.build_file, "BUILD")

googletest_sources = repository_rule(
    implementation = _googletest_sources_impl,
    attrs = {"build_file": attr.label(default = "//bazel/third_party/debian:googletest.BUILD")},
    configure = True,
    local = True,
    doc = "GoogleTest's sources, under the labels of the Bazel Central Registry's module.",
)
