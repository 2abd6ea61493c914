# SPDX-License-Identifier: Apache-2.0
"""cu_settings: how //bazel:cu compiles and links a program, as cuda_binary would, in one JSON file."""

load("@rules_cc//cc:find_cc_toolchain.bzl", "CC_TOOLCHAIN_ATTRS", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//bazel:cuda.bzl", "cpu_flags", "gencode", "nvcc_mode_flags")
load("//bazel:flags.bzl", "CudaInfo")

def _in_runfiles(ctx, path):
    """Where a file or folder of the execution root lies, seen from the main repository's runfiles."""
    for prefix in [ctx.bin_dir.path + "/", ctx.genfiles_dir.path + "/"]:
        if path.startswith(prefix):
            path = path[len(prefix):]
    return "../" + path[len("external/"):] if path.startswith("external/") else path

def _compile(ctx, features, cc_toolchain, action, flags):
    """[compiler, flags...] of a C or C++ file."""
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        user_compile_flags = flags,
    )
    return [cc_common.get_tool_for_action(feature_configuration = features, action_name = action)] + list(
        cc_common.get_memory_inefficient_command_line(
            feature_configuration = features,
            action_name = action,
            variables = variables,
        ),
    )

def _cu_settings_impl(ctx):
    cuda = ctx.attr._toolkit[CudaInfo]
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    runtime = ctx.attr._runtime[CcInfo]
    context = runtime.compilation_context

    libraries = []
    files = []
    user_link_flags = []
    for linker_input in runtime.linking_context.linker_inputs.to_list():
        user_link_flags += linker_input.user_link_flags
        for library in linker_input.libraries:
            archive = library.pic_static_library or library.static_library or library.dynamic_library
            files.append(archive)
            libraries.append(struct(file = archive.short_path, whole = library.alwayslink))
    link = cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = "c++-link-executable",
        variables = cc_common.create_link_variables(
            feature_configuration = features,
            cc_toolchain = cc_toolchain,
            is_linking_dynamic_library = False,
            is_static_linking_mode = True,
            user_link_flags = user_link_flags + ctx.fragments.cpp.linkopts,
        ),
    )
    cpp = ctx.fragments.cpp

    # g++'s -Wall objects to `if (threadIdx.x < n)`; nvcc does not.
    device_flags = cpu_flags(ctx) + ["-Wno-sign-compare"]
    includes = [
        _in_runfiles(ctx, path)
        for path in depset(transitive = [context.includes, context.system_includes] + (
            [context.external_includes] if hasattr(context, "external_includes") else []
        )).to_list()
    ]
    settings = ctx.actions.declare_file(ctx.label.name + ".json")
    ctx.actions.write(settings, json.encode(struct(
        device = cuda.device,
        translate = ctx.executable._cu_to_cpp.short_path,
        cu = _compile(ctx, features, cc_toolchain, "c++-compile", device_flags + cpp.copts + cpp.cxxopts),
        cc = _compile(ctx, features, cc_toolchain, "c++-compile", ["-O2"] + cpp.copts + cpp.cxxopts),
        c = _compile(ctx, features, cc_toolchain, "c-compile", ["-O2"] + cpp.copts + cpp.conlyopts),
        defines = context.defines.to_list(),
        includes = depset(includes).to_list(),
        linker = cc_common.get_tool_for_action(
            feature_configuration = features,
            action_name = "c++-link-executable",
        ),
        libraries = libraries,
        link = list(link),
        nvcc = ([
            cuda.nvcc,
            "-std=c++17",
        ] + (
            ["-ccbin", cuda.ccbin or cc_toolchain.compiler_executable] if cuda.ccbin or not cuda.own_ccbin else []
        ) + [
            gencode(arch)
            for arch in cuda.archs
        ] + nvcc_mode_flags(ctx, cuda)) if cuda.device == "gpu" else [],
    )))
    return [DefaultInfo(
        files = depset([settings]),
        runfiles = ctx.runfiles(
            files = [settings] + files,
            transitive_files = context.headers,
        ).merge(ctx.attr._cu_to_cpp[DefaultInfo].default_runfiles),
    )]

cu_settings = rule(
    implementation = _cu_settings_impl,
    attrs = dict({
        "_toolkit": attr.label(default = "//bazel:toolkit", providers = [CudaInfo]),
        "_runtime": attr.label(default = "//bazel:cuda_runtime", providers = [CcInfo]),
        "_cu_to_cpp": attr.label(default = "//cpu_device:cu_to_cpp", executable = True, cfg = "exec"),
    }, **CC_TOOLCHAIN_ATTRS),
    fragments = ["cpp"],
    toolchains = use_cc_toolchain(),
)
