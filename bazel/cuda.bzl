# SPDX-License-Identifier: Apache-2.0
"""cuda_library, cuda_binary and cuda_test: CUDA C for the GPU or, without one, for the CPU device.

GPU: nvcc compiles each .cu file; device code of several files in a target is linked (-rdc=true), and that
of a library that says rdc = True. CPU device: a .cu file is preprocessed and its launches and
shared variables are rewritten as C++ by //cpu_device:cu_to_cpp, which keeps the line
numbers; then the C++ compiler compiles that. Other C and C++ files are compiled as usual.
"""

load("@rules_cc//cc:defs.bzl", "cc_binary", "cc_test")
load("@rules_cc//cc:find_cc_toolchain.bzl", "CC_TOOLCHAIN_ATTRS", "find_cc_toolchain", "use_cc_toolchain")
load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")
load("//bazel:flags.bzl", "CudaInfo")

_HOST_SOURCES = ["c", "cc", "cpp", "cxx"]

# Headers that cc_common.compile refuses by their names (4.2.3: "has wrong extension").
_CUDA_HEADERS = ["cu", "cuh", "inl"]

# Where a launched kernel may come from a program that tells of its device's behaviour,
# integer overflow wraps and nothing is fused, as in the GPU's code compiled with -fmad=false.
# Kernels are inlined into their launches, position-independent code or not.
_CPU_DEVICE_FLAGS = [
    "-fwrapv",
    "-fno-strict-aliasing",
    "-ffp-contract=off",
    "-fno-math-errno",
    # Locals found by the frame pointer: Zen processors rename what the stack pointer addresses,
    # and a switch of stacks misleads them (a barrier costs 6 ns instead of 3.5).
    "-fno-omit-frame-pointer",
    "-fno-semantic-interposition",
    # A frame with large arrays meets the guard below its stack, and not what lies further down.
    "-fstack-clash-protection",
    "-Wno-unknown-pragmas",
    # nvcc warns of it, and so does the compiler then.
    "-Wno-error=narrowing",
]

# What a GPU does in another way, or ends with an error: reported with the source line.
# cpu_device/runtime/report/arithmetic_checks.cc is what the compiler's checks call; the macro tells the
# runtime, which decides the exit status.
CHECK_COPTS = [
    "-fsanitize=alignment,bounds,float-cast-overflow,shift-exponent",
    "-DLAB_CPU_DEVICE_CHECK=1",
]

# Device code that other files' device code may call or name is not yet linked: by its objects.
DeviceLinkInfo = provider(
    doc = "Relocatable device code that the target which depends on it links.",
    fields = {"objects": "depset of object files"},
)

def _stem(ctx, src):
    """src's path in its package, without extension: two files in one target may have one name."""
    stem = src.short_path.replace("../", "")
    if stem.startswith(ctx.label.package + "/"):
        stem = stem[len(ctx.label.package) + 1:]
    return stem[:-len(src.extension) - 1]

# GPU.

def gencode(arch):
    number = arch.split("_")[1]
    return "-gencode=arch=compute_%s,code=%s" % (number, arch)

def _oldest_ptx(archs):
    """PTX that runs on all of the architectures."""
    numbers = [int("".join([c for c in arch.split("_")[1].elems() if c.isdigit()])) for arch in archs]
    return ["compute_%d" % min(numbers)]

def nvcc_mode_flags(ctx, cuda):
    flags = ["-Wno-deprecated-gpu-targets", "-Xcompiler=-fPIC,-Wall,-ffp-contract=off"]
    if not cuda.fmad:
        flags.append("-fmad=false")
    if ctx.var["COMPILATION_MODE"] == "dbg":
        return flags + ["-g", "-G", "-O0"]
    return flags + ["-O3", "-lineinfo"]

def _nvcc_args(ctx, cuda, cc_toolchain):
    """What all of nvcc's command lines begin with."""
    args = ctx.actions.args()
    if cuda.ccbin:
        args.add("-ccbin").add(cuda.ccbin)
    elif not cuda.own_ccbin:
        args.add("-ccbin").add(cc_toolchain.compiler_executable)
    archs = _oldest_ptx(cuda.archs) if ctx.attr.ptx_only else cuda.archs
    args.add_all([gencode(arch) for arch in archs])
    args.add_all(nvcc_mode_flags(ctx, cuda))
    return args

def _nvcc_env(ctx, out):
    # nvcc names its temporary files after its process id, and in Bazel's sandbox that is
    # always 2 or so, while /tmp is shared (before Bazel 7): a folder for each action, or
    # two actions at once overwrite each other's files.
    env = {"PATH": "/usr/local/bin:/usr/bin:/bin"}
    env.update(ctx.configuration.default_shell_env)
    env["TMPDIR"] = out.dirname
    return env

def _nvcc_compile(ctx, cuda, cc_toolchain, context, src, relocatable):
    """One nvcc action; returns its object file (always position-independent)."""
    stem = _stem(ctx, src)
    obj = ctx.actions.declare_file("_nvcc/%s/%s/%s.pic.o" % (ctx.label.name, stem, stem.split("/")[-1]))

    args = _nvcc_args(ctx, cuda, cc_toolchain)
    args.add("-x").add("cu")
    args.add("-std=c++17")
    if relocatable:
        args.add("-rdc=true")
    args.add_all(ctx.attr.nvcc_copts)
    args.add_all(context.defines, before_each = "-D")
    args.add_all(ctx.attr.local_defines, before_each = "-D")

    # nvcc has no -iquote of its own; the host compiler, which preprocesses, has.
    args.add_all(context.quote_includes, format_each = "-Xcompiler=-iquote,%s")
    args.add_all(context.includes, format_each = "-I%s")
    args.add_all(context.system_includes, before_each = "-isystem")
    if hasattr(context, "external_includes"):  # Bazel 5+
        args.add_all(context.external_includes, before_each = "-isystem")
    args.add("-c").add(src).add("-o").add(obj)

    ctx.actions.run(
        executable = cuda.nvcc,
        env = _nvcc_env(ctx, obj),
        arguments = [args],
        # Every header that the deps let this target see: a changed one recompiles.
        inputs = depset([src, cuda.state], transitive = [context.headers, cc_toolchain.all_files]),
        outputs = [obj],
        mnemonic = "CudaCompile",
        progress_message = "Compiling %s for the GPU" % src.short_path,
    )
    return obj

def _nvcc_link(ctx, cuda, cc_toolchain, objects):
    """Links the device code of the objects; returns the object file that holds it."""
    obj = ctx.actions.declare_file("_nvcc/%s/device_link.pic.o" % ctx.label.name)
    args = _nvcc_args(ctx, cuda, cc_toolchain)
    args.add("-dlink").add_all(objects).add("-o").add(obj)
    ctx.actions.run(
        executable = cuda.nvcc,
        env = _nvcc_env(ctx, obj),
        arguments = [args],
        inputs = depset([cuda.state], transitive = [objects, cc_toolchain.all_files]),
        outputs = [obj],
        mnemonic = "CudaLink",
        progress_message = "Linking the device code of %s" % ctx.label,
    )
    return obj

def _gpu_objects(ctx, cuda, cc_toolchain, context, cu):
    """(what goes into the library, what the target that depends on it must link)"""
    pending = depset(transitive = [d[DeviceLinkInfo].objects for d in ctx.attr.deps if DeviceLinkInfo in d])
    relocatable = ctx.attr.rdc or len(cu) > 1 or bool(pending.to_list())
    objects = [_nvcc_compile(ctx, cuda, cc_toolchain, context, f, relocatable) for f in cu]
    if ctx.attr.rdc:
        return objects, depset(objects, transitive = [pending])
    if relocatable and objects:
        return objects + [_nvcc_link(ctx, cuda, cc_toolchain, depset(objects, transitive = [pending]))], depset()
    return objects, pending

# CPU device.

def cpu_flags(ctx):
    flags = _CPU_DEVICE_FLAGS + (CHECK_COPTS if ctx.attr._toolkit[CudaInfo].check else [])
    if ctx.var["COMPILATION_MODE"] == "dbg":
        return flags + ["-O0", "-g"]
    return flags + ["-O3", "-g1"]

def _translator_flags(ctx):
    """What of nvcc's flags decides which programs are taken."""
    for flag in ctx.attr.nvcc_copts:
        if flag.lstrip("-") == "expt-relaxed-constexpr":
            return ["-DCPU_DEVICE_RELAXED_CONSTEXPR"]
    return []

def _cu_to_cpp(ctx, features, cc_toolchain, context, src):
    """Preprocesses and rewrites one .cu file; returns the C++ file."""
    out = ctx.actions.declare_file("_cpu_device/%s/%s.cc" % (ctx.label.name, _stem(ctx, src)))
    system_includes = [context.system_includes]
    if hasattr(context, "external_includes"):  # Bazel 5+
        system_includes.append(context.external_includes)
    action = "c++-compile"
    variables = cc_common.create_compile_variables(
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        user_compile_flags = (cpu_flags(ctx) + ctx.fragments.cpp.copts + ctx.fragments.cpp.cxxopts +
                              ctx.attr.copts + ["-D" + d for d in ctx.attr.local_defines] +
                              _translator_flags(ctx)),
        include_directories = context.includes,
        quote_include_directories = context.quote_includes,
        system_include_directories = depset(transitive = system_includes),
        preprocessor_defines = context.defines,
    )
    args = ctx.actions.args()
    args.add(src).add(out).add("--")
    args.add(cc_common.get_tool_for_action(feature_configuration = features, action_name = action))
    args.add_all(cc_common.get_memory_inefficient_command_line(
        feature_configuration = features,
        action_name = action,
        variables = variables,
    ))
    env = dict(ctx.configuration.default_shell_env)
    env.update(cc_common.get_environment_variables(
        feature_configuration = features,
        action_name = action,
        variables = variables,
    ))
    ctx.actions.run(
        executable = ctx.executable._cu_to_cpp,
        env = env,
        arguments = [args],
        inputs = depset([src], transitive = [context.headers, cc_toolchain.all_files]),
        outputs = [out],
        mnemonic = "CuToCpp",
        progress_message = "Reading %s for the CPU device" % src.short_path,
    )
    return out

# Both.

def _include_dirs(ctx):
    """Like cc_library's includes: relative to the package, in the source and the output tree."""
    root = ctx.label.workspace_root
    dirs = []
    for inc in ctx.attr.includes:
        rel = "/".join([p for p in [root, ctx.label.package, inc] if p and p != "."])
        dirs.append(rel or ".")
        dirs.append(ctx.bin_dir.path + ("/" + rel if rel else ""))
    return dirs

def _with_headers(context, headers):
    """The compilation context, with more headers in it."""
    if not headers:
        return context
    return cc_common.merge_cc_infos(cc_infos = [
        CcInfo(compilation_context = context),
        CcInfo(compilation_context = cc_common.create_compilation_context(headers = depset(headers))),
    ]).compilation_context

def _runfiles(ctx):
    """The data of this target and of its deps."""
    runfiles = ctx.runfiles(files = ctx.files.data)
    for target in ctx.attr.data + ctx.attr.deps:
        runfiles = runfiles.merge(target[DefaultInfo].default_runfiles)
    return runfiles

def _cuda_library_impl(ctx):
    cuda = ctx.attr._toolkit[CudaInfo]
    cc_toolchain = find_cc_toolchain(ctx)
    features = cc_common.configure_features(
        ctx = ctx,
        cc_toolchain = cc_toolchain,
        requested_features = ctx.features,
        unsupported_features = ctx.disabled_features,
    )
    deps = [d[CcInfo] for d in ctx.attr.deps + ctx.attr._runtime]
    cu = [f for f in ctx.files.srcs if f.extension == "cu"]
    host = [f for f in ctx.files.srcs if f.extension in _HOST_SOURCES]
    private = [f for f in ctx.files.srcs if f.extension not in _HOST_SOURCES + ["cu"]]
    cuda_private = [f for f in private if f.extension in _CUDA_HEADERS]
    cuda_public = [f for f in ctx.files.hdrs if f.extension in _CUDA_HEADERS]
    common = dict(
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        private_hdrs = [f for f in private if f not in cuda_private],
        includes = _include_dirs(ctx),
        defines = ctx.attr.defines,
        local_defines = ctx.attr.local_defines,
    )
    contexts = [d.compilation_context for d in deps]
    public, host_outputs = cc_common.compile(
        name = ctx.label.name,
        srcs = host,
        public_hdrs = [f for f in ctx.files.hdrs if f not in cuda_public],
        user_compile_flags = ctx.attr.copts,
        compilation_contexts = contexts + (
            [cc_common.create_compilation_context(headers = depset(cuda_public + cuda_private))] if host else []
        ),
        **common
    )
    public = _with_headers(public, cuda_public)

    # cc_common.compile leaves private headers out of the context it returns.
    context = _with_headers(public, private)
    pending = depset()
    if cuda.device == "gpu":
        objects, pending = _gpu_objects(ctx, cuda, cc_toolchain, context, cu)
        objects = depset(objects)
        outputs = cc_common.create_compilation_outputs(objects = objects, pic_objects = objects)
    else:
        _, outputs = cc_common.compile(
            name = ctx.label.name + ".cu",
            srcs = [_cu_to_cpp(ctx, features, cc_toolchain, context, f) for f in cu],
            # First, so that the command line's and the target's own flags win.
            user_compile_flags = cpu_flags(ctx) + ctx.attr.copts,
            # Only for the source lines that the compiler quotes in its messages.
            compilation_contexts = [_with_headers(context, cu)],
            **common
        )

    linking, linking_outputs = cc_common.create_linking_context_from_compilation_outputs(
        name = ctx.label.name,
        actions = ctx.actions,
        feature_configuration = features,
        cc_toolchain = cc_toolchain,
        compilation_outputs = cc_common.merge_compilation_outputs(compilation_outputs = [host_outputs, outputs]),
        user_link_flags = ctx.attr.linkopts,
        linking_contexts = [d.linking_context for d in deps],
        alwayslink = ctx.attr.alwayslink,
        # One copy of the CUDA runtime in a program: no .so with its own.
        disallow_dynamic_library = True,
    )
    library = linking_outputs.library_to_link
    return [
        DefaultInfo(
            files = depset([f for f in [library.static_library, library.pic_static_library] if f] if library else []),
            runfiles = _runfiles(ctx),
        ),
        CcInfo(compilation_context = public, linking_context = linking),
        DeviceLinkInfo(objects = pending),
    ]

cuda_library = rule(
    implementation = _cuda_library_impl,
    attrs = dict({
        "srcs": attr.label_list(
            allow_files = [".cu"] + ["." + e for e in _HOST_SOURCES] + [".h", ".hpp", ".inc", ".inl", ".cuh"],
            doc = "Each .cu, .c and C++ file is compiled; headers are for this target only.",
        ),
        "hdrs": attr.label_list(
            allow_files = [".h", ".hpp", ".inc", ".inl", ".cuh", ".cu"],
            doc = "What this target's and its users' files #include; a .cu here is not compiled by itself.",
        ),
        "deps": attr.label_list(providers = [CcInfo]),
        "data": attr.label_list(allow_files = True),
        "includes": attr.string_list(),
        "defines": attr.string_list(),
        "local_defines": attr.string_list(),
        "copts": attr.string_list(doc = "for the host compiler: host files, and kernels on the CPU device"),
        "nvcc_copts": attr.string_list(doc = "for nvcc"),
        "linkopts": attr.string_list(),
        "rdc": attr.bool(
            doc = "Its device functions and variables are for the .cu files of a target that depends on it, " +
                  "which links them. One target of a program may do so. Those of several .cu files in one " +
                  "target see one another without it.",
        ),
        "ptx_only": attr.bool(
            doc = "The program holds no machine code for it: the driver compiles it while the program runs.",
        ),
        "alwayslink": attr.bool(),
        "_toolkit": attr.label(default = "//bazel:toolkit", providers = [CudaInfo]),
        "_runtime": attr.label_list(default = ["//bazel:cuda_runtime"], providers = [CcInfo]),
        "_cu_to_cpp": attr.label(default = "//cpu_device:cu_to_cpp", executable = True, cfg = "exec"),
    }, **CC_TOOLCHAIN_ATTRS),
    fragments = ["cpp"],
    provides = [CcInfo],
    toolchains = use_cc_toolchain(),
    doc = "Kernels and the functions that launch them, for C, C++ and CUDA targets to depend on.",
)

def cuda_binary(
        name,
        srcs,
        hdrs = [],
        deps = [],
        copts = [],
        nvcc_copts = [],
        defines = [],
        includes = [],
        linkopts = [],
        data = [],
        args = [],
        tags = [],
        target_compatible_with = [],
        testonly = False,
        visibility = None):
    """An ordinary CUDA program: .cu, .c and C++ files, one of them with main.

    Files that are only #included, .cuh and .cu among them, belong in hdrs.
    """
    cuda_library(
        name = name + "_objects",
        srcs = srcs,
        hdrs = hdrs,
        # Static initialisers run, whether or not main refers to their file.
        alwayslink = True,
        copts = copts,
        includes = includes,
        local_defines = defines,
        nvcc_copts = nvcc_copts,
        tags = tags,
        target_compatible_with = target_compatible_with,
        testonly = testonly,
        visibility = ["//visibility:private"],
        deps = deps,
    )
    cc_binary(
        name = name,
        args = args,
        data = data,
        linkopts = linkopts,
        tags = tags,
        target_compatible_with = target_compatible_with,
        testonly = testonly,
        visibility = visibility,
        deps = [":" + name + "_objects"],
    )

# What a test that uses the device has among its data, so that no result of a run on the GPU
# is taken from Bazel's cache: the GPU, its driver and its visibility are not Bazel's to see.
# On the CPU device results are cached as usual.
DEVICE_TEST_DATA = select({
    "//bazel:gpu": ["//bazel:never_cached"],
    "//bazel:cpu": [],
})

def cuda_test(name, data = [], deps = [], **kwargs):
    """A cc_test that uses the device: on the GPU it is never cached, and runs by itself there.

    On the CPU device it is an ordinary cc_test. Tests that measure time add tags = ["exclusive"].
    """
    cc_test(
        name = name,
        data = data + DEVICE_TEST_DATA,
        deps = deps + select({
            "//bazel:gpu": ["//bazel:gpu_lock"],
            "//bazel:cpu": [],
        }),
        **kwargs
    )
