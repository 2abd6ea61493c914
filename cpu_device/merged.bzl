# SPDX-License-Identifier: Apache-2.0
"""merged_sources: writes one C++ file of many.

Most of what one file takes to compile are the standard headers. Merged files share them, and
the first build takes a third of the time. Each file must still compile by itself, and a name in
an unnamed namespace be the only such one in what is merged.
"""

# Compilers report lines of the files as they are, and __FILE__ is what it would be.
_MERGE = """
merged=$1
shift
for source; do
  printf '#line 1 "%s"\\n' "$source"
  cat "$source"
done > "$merged"
"""

def _merged_sources_impl(ctx):
    headers = []
    sources = []
    for src in ctx.files.srcs:
        if src.extension != "cc":
            headers.append(src)
        elif src.dirname.split("/")[-1] in ctx.attr.folders:
            sources.append(src)
    merged = ctx.actions.declare_file(ctx.label.name + "_all.cc")
    ctx.actions.run_shell(
        command = _MERGE,
        arguments = [merged.path] + [src.path for src in sources],
        inputs = sources,
        outputs = [merged],
        mnemonic = "MergeSources",
        progress_message = "Merging the sources of %s" % ctx.label,
    )
    return [DefaultInfo(files = depset([merged] + headers))]

merged_sources = rule(
    implementation = _merged_sources_impl,
    attrs = {
        "srcs": attr.label_list(
            allow_files = [".cc", ".h"],
            doc = "Sources are merged; headers are passed on.",
        ),
        "folders": attr.string_list(
            doc = "Only the sources in these.",
            mandatory = True,
        ),
    },
    doc = "What a cc_library or cc_binary takes as its srcs in place of these.",
)
