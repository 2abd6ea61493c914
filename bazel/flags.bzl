# SPDX-License-Identifier: Apache-2.0
"""The build settings --//bazel:device, :archs, :fmad and :check, and what they come to."""

load("@rules_cc//cc/common:cc_common.bzl", "cc_common")
load("@rules_cc//cc/common:cc_info.bzl", "CcInfo")

FlagInfo = provider(doc = "The value of a string_flag.", fields = ["value"])

def _string_flag_impl(ctx):
    value = ctx.build_setting_value
    if ctx.attr.values and value not in ctx.attr.values:
        fail("--%s=%s: must be one of %s" % (ctx.label.name, value, ", ".join(ctx.attr.values)))
    return [FlagInfo(value = value)]

string_flag = rule(
    implementation = _string_flag_impl,
    build_setting = config.string(flag = True),
    attrs = {"values": attr.string_list()},
)

CudaInfo = provider(
    doc = "Where kernels run, and with which compiler they are built.",
    fields = {
        "device": "gpu or cpu",
        "reason": "why this device, as a sentence for students",
        "problem": "what keeps the GPU build from working, or empty",
        "nvcc": "absolute path of nvcc, empty without one",
        "version": "toolkit's version, such as 13.0",
        "ccbin": "the host compiler that NVCC_CCBIN names, or empty",
        "own_ccbin": "True where nvcc picks its host compiler itself",
        "archs": "list of sm_XX (machine code) and compute_XX (PTX)",
        "fmad": "False: no multiplication is fused with an addition",
        "check": "True: kernels on the CPU device look for faults that a GPU may not show",
        "state": "file with all that was found; an input of each nvcc action",
    },
)

def _number(arch):
    """sm_90a, compute_90 or 9.0 -> the digits: 90; "" if there are none."""
    text = arch.replace("sm_", "").replace("compute_", "").replace(".", "")
    if text[-1:] in ["a", "f"]:
        text = text[:-1]
    return text if text.isdigit() else ""

def _default_archs(known):
    """For no GPU in particular: Ampere, since much of CUDA's language begins there, and PTX for newer ones."""
    oldest = "80" if "compute_80" in known or not known else known[-1].replace("compute_", "")
    return ["sm_" + oldest, "compute_" + oldest]

def _parse_archs(text, cuda):
    """Returns (list of architectures, what is wrong with the flag or "")."""
    if text == "auto":
        return list(cuda.gpu_archs) or _default_archs(cuda.known_archs), ""
    archs = []
    for word in text.split(","):
        word = word.strip()
        number = _number(word)
        if not number or (cuda.known_archs and "compute_" + number not in cuda.known_archs):
            return [], "--archs=%s: nvcc %s does not know '%s'. It knows sm_NN (machine code) and compute_NN (PTX) with NN one of %s." % (
                text,
                cuda.version,
                word,
                ", ".join([arch.replace("compute_", "") for arch in cuda.known_archs]),
            )
        archs.append(word if "_" in word else "sm_" + word.replace(".", ""))
    return archs, ""

def _missing_toolkit(cuda):
    text = "The GPU was asked for (--device=gpu or --config=gpu), and cannot be used: %s\n" % cuda.problem
    if not cuda.nvcc:
        text += "Looked at, in this order: the variables CUDA_HOME and CUDA_PATH, the PATH, the usual places, Python's packages:\n"
        text += "".join(["  %s\n" % line for line in cuda.tried])
        text += "Install the CUDA toolkit, or set CUDA_HOME to the folder that holds its bin/nvcc.\n"
    elif "CUDA_" in cuda.problem:
        text += "Correct it or unset it: a toolkit was found at %s.\n" % cuda.top
    return text + "Or run on the CPU: --config=cpu. `bazel run //bazel:doctor` tells more."

def _choose(want, cuda):
    """Returns (gpu or cpu, why as a sentence for students)."""
    if want == "gpu":
        return "gpu", "The GPU was asked for."
    if want == "cpu":
        return "cpu", "The CPU was asked for."
    if not cuda.has_gpu:
        return "cpu", "No GPU was found: %s." % cuda.gpu_found_by
    name = cuda.gpus[0] if cuda.gpus else cuda.gpu_found_by
    if cuda.gpu_too_old:
        return "cpu", "A GPU was found (%s), but %s." % (name, cuda.gpu_too_old)
    if cuda.problem:
        return "cpu", "A GPU was found (%s), but it cannot be used: %s See `bazel run //bazel:doctor`." % (name, cuda.problem)
    return "gpu", "A GPU was found (%s), and CUDA %s." % (name, cuda.version)

def _cuda_toolkit_impl(ctx):
    cuda = struct(**{name: getattr(ctx.attr, name) for name in _FACTS})
    device, reason = _choose(ctx.attr.device[FlagInfo].value, cuda)
    archs, bad_archs = _parse_archs(ctx.attr.archs[FlagInfo].value, cuda)
    problem = _missing_toolkit(cuda) if cuda.problem else bad_archs
    return [
        # Lets config_setting(flag_values = {"//bazel:toolkit": "gpu"}) read it.
        config_common.FeatureFlagInfo(value = device),
        CudaInfo(
            device = device,
            reason = reason,
            problem = problem,
            nvcc = cuda.nvcc,
            version = cuda.version,
            ccbin = cuda.ccbin,
            own_ccbin = cuda.own_ccbin,
            archs = archs,
            fmad = ctx.attr.fmad[FlagInfo].value == "true",
            check = ctx.attr.check[FlagInfo].value == "true",
            state = ctx.file.state,
        ),
    ]

_FACTS = {
    "ccbin": attr.string(),
    "gpu_archs": attr.string_list(),
    "gpu_found_by": attr.string(),
    "gpu_too_old": attr.string(),
    "gpus": attr.string_list(),
    "has_gpu": attr.bool(),
    "known_archs": attr.string_list(),
    "nvcc": attr.string(),
    "own_ccbin": attr.bool(),
    "problem": attr.string(),
    "top": attr.string(),
    "tried": attr.string_list(),
    "version": attr.string(),
}

cuda_toolkit = rule(
    implementation = _cuda_toolkit_impl,
    attrs = dict({
        "device": attr.label(mandatory = True, providers = [FlagInfo]),
        "archs": attr.label(mandatory = True, providers = [FlagInfo]),
        "fmad": attr.label(mandatory = True, providers = [FlagInfo]),
        "check": attr.label(mandatory = True, providers = [FlagInfo]),
        "state": attr.label(allow_single_file = True, mandatory = True),
    }, **_FACTS),
    doc = "Resolves device=auto; the facts are those of @local_cuda//:defs.bzl.",
)

def _usable_toolkit_impl(ctx):
    cuda = ctx.attr.toolkit[CudaInfo]
    if cuda.device == "gpu" and cuda.problem:
        fail("\n\n" + cuda.problem + "\n")
    return [CcInfo()]

usable_toolkit = rule(
    implementation = _usable_toolkit_impl,
    attrs = {"toolkit": attr.label(mandatory = True, providers = [CudaInfo])},
    provides = [CcInfo],
    doc = "An empty library that stops GPU builds which cannot work, in one place, with one message.",
)

def _c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

def _build_info_impl(ctx):
    cuda = ctx.attr.toolkit[CudaInfo]
    header = ctx.actions.declare_file(ctx.label.name + ".h")
    gpu = cuda.device == "gpu"
    ctx.actions.write(header, """/* How this program was built. Made by //bazel:build_info.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef BAZEL_BUILD_INFO_H
#define BAZEL_BUILD_INFO_H

/* Where kernels run: "gpu" or "cpu", and why, as a sentence. */
#define BUILD_DEVICE {device}
#define BUILD_DEVICE_REASON {reason}

/* What the program holds, such as "sm_80 compute_80": sm_NN is machine code for compute
 * capability N.N, compute_NN is PTX, which the driver of any newer GPU compiles. Empty on the CPU. */
#define BUILD_ARCHS {archs}

/* The toolkit that nvcc belongs to, such as "13.0"; empty on the CPU. */
#define BUILD_TOOLKIT_VERSION {version}

/* Bazel's compilation mode: "fastbuild", "opt" or "dbg". Time nothing in "dbg". */
#define BUILD_COMPILATION_MODE {mode}

/* 0 if built with --fmad=false: no multiplication is fused with an addition. */
#define BUILD_FMAD {fmad}

#endif
""".format(
        device = _c_string(cuda.device),
        reason = _c_string(cuda.reason),
        archs = _c_string(" ".join(cuda.archs) if gpu else ""),
        version = _c_string(cuda.version if gpu else ""),
        mode = _c_string(ctx.var["COMPILATION_MODE"]),
        fmad = 1 if cuda.fmad else 0,
    ))
    headers = depset([header])
    return [
        DefaultInfo(files = headers),
        CcInfo(compilation_context = cc_common.create_compilation_context(
            headers = headers,
            quote_includes = depset([ctx.bin_dir.path]),
        )),
    ]

build_info = rule(
    implementation = _build_info_impl,
    attrs = {"toolkit": attr.label(mandatory = True, providers = [CudaInfo])},
    provides = [CcInfo],
    doc = "The header bazel/build_info.h: string constants that say how a program was built.",
)

def _run_stamp_impl(ctx):
    stamp = ctx.actions.declare_file(ctx.label.name + ".txt")
    ctx.actions.run_shell(
        command = "cp '%s' '%s'" % (ctx.info_file.path, stamp.path),
        inputs = [ctx.info_file],
        outputs = [stamp],
        mnemonic = "RunStamp",
    )
    return [DefaultInfo(files = depset([stamp]), runfiles = ctx.runfiles([stamp]))]

run_stamp = rule(
    implementation = _run_stamp_impl,
    doc = "A file whose content differs in each run of Bazel; made only where something needs it.",
)
