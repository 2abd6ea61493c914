# SPDX-License-Identifier: Apache-2.0
"""Finds the CUDA toolkit, the compiler that nvcc would use, and NVIDIA GPUs.

Yields a repository that loads on every machine, with or without CUDA:
  //:defs.bzl       the struct CUDA: what was found
  //:state.txt      the same, one fact a line; an input of each nvcc action
  //:facts          cc_library: the same as strings in local_cuda_facts.h, for the doctor
  //:headers        cc_library: the toolkit's headers, for host .c files (empty without CUDA)
  //:cudart_static  cc_library: the CUDA runtime, linked statically (empty without CUDA)

It is looked for again when one of _ENV changes, when the Bazel server starts, and on
`bazel sync --configure` (Debian's Bazel) or `bazel fetch --configure --force` (later ones).
Nothing here stops a build: what is wrong is kept in CUDA.problem, and flags.bzl reports it
to those who ask for the GPU.
"""

# LAB_PRETEND_GPU: 0 for none, or compute capabilities such as 9.0 or 8.0,9.0.
# LAB_PRETEND_TOOLKIT: 0 for none. Both are for tests and for instructors.
_ENV = ["CC", "CUDA_HOME", "CUDA_PATH", "LAB_PRETEND_GPU", "LAB_PRETEND_TOOLKIT", "NVCC_CCBIN", "PATH"]

_USUAL_PLACES = [
    "/usr/local/cuda/bin/nvcc",
    "/opt/cuda/bin/nvcc",
    "/usr/lib/nvidia-cuda-toolkit/bin/nvcc",
    "/usr/bin/nvcc",
]

def _env(rctx, name):
    if hasattr(rctx, "getenv"):  # Bazel 7.1+
        return rctx.getenv(name) or ""
    return rctx.os.environ.get(name, "")

def _exists(rctx, path):
    return path.startswith("/") and rctx.path(path).exists

def _execute(rctx, command):
    # nvcc obeys variables that the builds do not pass on, and a compiler that is a link to
    # ccache would want to write its cache.
    unset = ["-u", "NVCC_CCBIN", "-u", "NVCC_PREPEND_FLAGS", "-u", "NVCC_APPEND_FLAGS"]
    return rctx.execute(["/usr/bin/env"] + unset + ["CCACHE_DISABLE=1"] + command, timeout = 60)

def _first_line(res):
    """The first line that a failed command wrote."""
    return (res.stderr + "\n" + res.stdout).strip().split("\n")[0]

# The toolkit.

def _pip_nvccs(rctx):
    """nvcc in NVIDIA's pip wheels: site-packages/nvidia/cu13/bin/nvcc and the like."""
    python = rctx.which("python3")
    if not python:
        return []
    code = """
import importlib.util, os
spec = importlib.util.find_spec('nvidia')
for top in (spec.submodule_search_locations if spec else []):
    for sub in sorted(os.listdir(top), reverse=True):
        nvcc = os.path.join(top, sub, 'bin', 'nvcc')
        if os.path.exists(nvcc):
            print(nvcc)
"""
    res = _execute(rctx, [python, "-c", code])
    return [line for line in res.stdout.split("\n") if line] if res.return_code == 0 else []

def _candidates(rctx):
    """[(variable or place, path of an nvcc that may not exist)], best first."""
    found = [(var, _env(rctx, var) + "/bin/nvcc") for var in ["CUDA_HOME", "CUDA_PATH"] if _env(rctx, var)]
    on_path = rctx.which("nvcc")
    found.append(("PATH", str(on_path) if on_path else ""))
    found += [("usual place", path) for path in _USUAL_PLACES]
    found += [("pip", path) for path in _pip_nvccs(rctx)]
    return found

def _quoted_words(line, flag):
    """The words of nvcc's dry-run line that start with flag, without it; "..." may hold spaces."""
    words = []
    for i, piece in enumerate(line.split('"')):
        words += [piece] if i % 2 else piece.split(" ")
    return [w[len(flag):] for w in words if w.startswith(flag)]

def _dry_run(rctx, nvcc):
    """Where nvcc says that its files are: it may be a wrapper script, a link, or a distribution's."""
    res = _execute(rctx, [nvcc, "-dryrun", "-x", "cu", "-c", "/dev/null", "-o", "/dev/null"])
    top = ""
    includes = []
    libs = []
    for line in (res.stderr + "\n" + res.stdout).split("\n"):
        if line.startswith("#$ TOP="):
            top = line[len("#$ TOP="):].strip()
        elif line.startswith("#$ INCLUDES="):
            includes = _quoted_words(line[len("#$ INCLUDES="):], "-I")
        elif line.startswith("#$ LIBRARIES="):
            libs = _quoted_words(line[len("#$ LIBRARIES="):], "-L")
    return struct(top = top, includes = includes, libs = libs, error = _first_line(res))

def _architectures(rctx, nvcc):
    """What nvcc compiles for, as numbers such as 75; [] if it cannot tell."""
    res = _execute(rctx, [nvcc, "--list-gpu-arch"])
    if res.return_code != 0:
        return []
    names = [line.strip().replace("compute_", "") for line in res.stdout.split("\n")]
    return sorted([int(name) for name in names if name.isdigit()])

def _ask_nvcc(rctx, nvcc):
    """Returns (toolkit, "") or (None, why this nvcc does not do)."""
    toolkit, why = _ask_nvcc_at(rctx, nvcc)
    real = str(rctx.path(nvcc).realpath)
    if not toolkit and real != nvcc:
        # nvcc looks for its files beside the name it was called by: a link misleads it.
        toolkit, _ = _ask_nvcc_at(rctx, real)
    return (toolkit, "") if toolkit else (None, why)

def _ask_nvcc_at(rctx, nvcc):
    res = _execute(rctx, [nvcc, "--version"])
    version = ""
    for line in res.stdout.split("\n"):
        if ", release " in line:
            version = line.split(", release ")[1].split(",")[0].strip()
    if res.return_code != 0 or not version:
        return None, nvcc + " --version failed: " + _first_line(res)
    dry = _dry_run(rctx, nvcc)
    if not dry.top:
        return None, nvcc + " -dryrun failed: " + dry.error

    target = ["/targets/x86_64-linux", "/targets/sbsa-linux"]  # conda's layout, without lib64
    includes = dry.includes + [dry.top + d + "/include" for d in [""] + target] + ["/usr/include"]
    libs = dry.libs + [dry.top + d for d in ["/lib64", "/lib"] + [t + "/lib" for t in target]] + [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
    ]
    for where, name in [(includes, "cuda_runtime_api.h"), (libs, "libcudart_static.a")]:
        if not [d for d in where if _exists(rctx, d + "/" + name)]:
            return None, "there is %s, but no %s beside it" % (nvcc, name)
    top = str(rctx.path(dry.top).realpath)
    return struct(
        nvcc = nvcc,
        version = version,
        top = top,
        include = str(rctx.path([d for d in includes if _exists(rctx, d + "/cuda_runtime_api.h")][0]).realpath),
        lib = str(rctx.path([d for d in libs if _exists(rctx, d + "/libcudart_static.a")][0]).realpath),
        archs = _architectures(rctx, nvcc),
        # A Linux distribution's nvcc knows which host compiler fits it.
        own_ccbin = top.startswith("/usr/lib/"),
    ), ""

def _why_not_there(rctx, variable, nvcc):
    """Why the folder that a variable names does not do."""
    folder = nvcc[:-len("/bin/nvcc")]
    if not folder.startswith("/"):
        return "it is not an absolute path"
    if not rctx.path(folder).exists:
        return "there is no such folder"
    return "there is no bin/nvcc in that folder"

def _find_toolkit(rctx):
    """Returns (toolkit or None, what found it, what was looked at in vain, what is wrong with a variable)."""
    if _env(rctx, "LAB_PRETEND_TOOLKIT") == "0":
        return None, "", ["LAB_PRETEND_TOOLKIT=0: not looked for"], ""
    toolkit = None
    found_by = ""
    tried = []
    wrong = ""
    for place, nvcc in _candidates(rctx):
        variable = place.startswith("CUDA_")
        if toolkit and not variable:
            continue
        candidate = None
        if _exists(rctx, nvcc):
            candidate, why = _ask_nvcc(rctx, nvcc)
        else:
            why = _why_not_there(rctx, place, nvcc) if variable else "not there" if nvcc else "no nvcc there"
        if candidate:
            if not toolkit:
                toolkit = candidate
                found_by = place
        elif variable:
            value = "%s is '%s'" % (place, _env(rctx, place))
            tried.append("%s: %s" % (value, why))
            wrong = wrong or "%s, but %s." % (value, why)
        else:
            tried.append("%s: %s" % (nvcc or place, why))
    return toolkit, found_by, tried, wrong

# The host compiler that nvcc would use.

def _path_of_compiler(rctx, name):
    if "/" not in name:
        return str(rctx.which(name) or "")
    path = name
    if _exists(rctx, path + "/gcc"):  # nvcc takes a folder as well
        path += "/gcc"
    return path if _exists(rctx, path) else ""

def _host_compiler(rctx):
    """What NVCC_CCBIN, CC or the PATH name, in nvcc's and Bazel's order."""
    variable = "NVCC_CCBIN" if _env(rctx, "NVCC_CCBIN") else "CC" if _env(rctx, "CC") else ""
    name = _env(rctx, variable) if variable else "gcc"
    path = _path_of_compiler(rctx, name)
    macros = {}
    if path:
        res = _execute(rctx, [path, "-dM", "-E", "-x", "c++", "/dev/null"])
        for line in res.stdout.split("\n"):
            words = line.split(" ", 2)
            if len(words) == 3 and words[0] == "#define":
                macros[words[1]] = words[2]
    kind = "clang" if "__clang_major__" in macros else "gcc"
    major = macros.get("__clang_major__", macros.get("__GNUC__", ""))
    minor = macros.get("__clang_minor__", macros.get("__GNUC_MINOR__", ""))
    return struct(
        variable = variable,
        name = name,
        path = path,
        kind = kind,
        major = int(major) if major.isdigit() else 0,
        version = "%s %s.%s" % (kind, major, minor) if major else "",
    )

def _newest_supported(rctx, toolkit, kind):
    """The newest major version of gcc or clang that this nvcc takes, 0 if its header does not tell."""
    header = toolkit.include + "/crt/host_config.h"
    if not _exists(rctx, header):
        return 0
    for line in rctx.read(header).split("\n"):
        if kind == "gcc" and line.startswith("#if __GNUC__ > "):
            number = line[len("#if __GNUC__ > "):].strip()
            return int(number) if number.isdigit() else 0
        if kind == "clang" and line.startswith("#if (__clang_major__ >= "):
            number = line[len("#if (__clang_major__ >= "):].split(")")[0].strip()
            return int(number) - 1 if number.isdigit() else 0
    return 0

def _compiler_problem(toolkit, compiler, newest):
    """Why nvcc will refuse the host compiler, or ""."""
    if toolkit.own_ccbin and compiler.variable != "NVCC_CCBIN":
        return ""
    if not compiler.path:
        where = "%s is '%s'" % (compiler.variable, compiler.name) if compiler.variable else "nvcc needs gcc"
        return "%s, but there is no such compiler." % where
    if not compiler.version:
        return "%s does not work as a C++ compiler for nvcc." % compiler.path
    if newest and compiler.major > newest:
        return (("nvcc %s does not support %s (%s): the newest that it supports is %s %d. " +
                 "Install that, and point to it with the variable NVCC_CCBIN, for example NVCC_CCBIN=/usr/bin/%s-%d.") %
                (toolkit.version, compiler.version, compiler.path, compiler.kind, newest, {"gcc": "g++", "clang": "clang++"}[compiler.kind], newest))
    return ""

# GPUs.

def _nvidia_smi(rctx):
    on_path = rctx.which("nvidia-smi")
    if on_path:
        return str(on_path)
    for path in ["/usr/bin/nvidia-smi", "/usr/lib/wsl/lib/nvidia-smi", "/usr/local/nvidia/bin/nvidia-smi"]:
        if _exists(rctx, path):
            return path
    return ""

def _find_gpus(rctx):
    """Returns (is there a GPU, [(compute capability such as 9.0 or "", name)], how we know)."""
    pretend = _env(rctx, "LAB_PRETEND_GPU")
    if pretend == "0":
        return False, [], "LAB_PRETEND_GPU=0"
    if pretend:
        return True, [(cap, "pretended GPU") for cap in pretend.split(",")], "LAB_PRETEND_GPU=" + pretend
    smi = _nvidia_smi(rctx)
    if smi:
        res = rctx.execute([smi, "--query-gpu=compute_cap,name", "--format=csv,noheader"], timeout = 30)
        if res.return_code != 0:
            # It knows better than a device file that a removed driver left behind.
            return False, [], "nvidia-smi says: " + _first_line(res)
        gpus = []
        for line in res.stdout.split("\n"):
            if "," in line:
                cap, _, name = line.partition(",")
                cap = cap.strip()
                gpus.append((cap if cap[:1].isdigit() else "", name.strip()))  # old drivers know no compute_cap
        return bool(gpus), gpus, "nvidia-smi" if gpus else "nvidia-smi lists none"

    # Not readdir(): Bazel 7.1 and later would watch /dev and look again at each change there.
    for name in ["nvidia%d" % i for i in range(16)] + ["dxg", "nvhost-gpu"]:
        if _exists(rctx, "/dev/" + name):
            return True, [], "/dev/" + name
    return False, [], "nvidia-smi is missing"

def _fitting_archs(toolkit, gpus):
    """Returns (architectures to compile for, [] for the safe choice; why no GPU can be used, or "")."""
    caps = sorted([int(cap.replace(".", "")) for cap, _ in gpus if cap.replace(".", "").isdigit()])
    if not toolkit or not toolkit.archs or not caps:
        return [], ""
    usable = [cap for cap in caps if cap >= toolkit.archs[0]]
    if not usable:
        return [], "its compute capability %s is too old for CUDA %s" % (gpus[0][0], toolkit.version)

    # Machine code for each GPU that nvcc knows, and PTX, which the drivers of newer ones compile.
    exact = ["sm_%d" % cap for cap in depset(usable).to_list() if cap in toolkit.archs]
    newest = [arch for arch in toolkit.archs if arch <= usable[-1]][-1]
    return exact + ["compute_%d" % newest], ""

# The repository.

_BUILD = """load("@rules_cc//cc:defs.bzl", "cc_library")

package(default_visibility = ["//visibility:public"])

exports_files(["state.txt"])

cc_library(
    name = "facts",
    hdrs = ["facts/local_cuda_facts.h"],
    includes = ["facts"],
)
"""

_BUILD_CUDA = """
cc_library(
    name = "headers",
    hdrs = glob(["include/**"]),
    includes = ["include"],
)

cc_library(
    name = "cudart_static",
    srcs = ["lib/libcudart_static.a"],
    linkopts = ["-ldl", "-lrt", "-lpthread"],
)
"""

_BUILD_NO_CUDA = """
cc_library(name = "headers")

cc_library(name = "cudart_static")
"""

# With Debian's toolkit the headers lie in /usr/include among all others.
_DEBIAN_HEADERS = [
    "builtin_types.h",
    "channel_descriptor.h",
    "common_functions.h",
    "device_types.h",
    "driver_functions.h",
    "driver_types.h",
    "host_config.h",
    "host_defines.h",
    "library_types.h",
    "surface_types.h",
    "texture_types.h",
    "vector_functions.h",
    "vector_functions.hpp",
    "vector_types.h",
]

def _link_toolkit(rctx, toolkit):
    rctx.symlink(toolkit.lib + "/libcudart_static.a", "lib/libcudart_static.a")

    # What host code may include; not CCCL's thousands of C++ headers.
    for entry in rctx.path(toolkit.include).readdir():
        name = entry.basename
        if toolkit.include == "/usr/include" and not name.startswith("cu") and name not in _DEBIAN_HEADERS:
            continue
        if name.endswith(".h") or name.endswith(".hpp"):
            rctx.symlink(entry, "include/" + name)
    for folder, name in [("crt", "crt"), ("nv", "nv"), ("cccl/nv", "nv")]:
        path = toolkit.include + "/" + folder
        if _exists(rctx, path) and not rctx.path("include/" + name).exists:
            rctx.symlink(path, "include/" + name)

def _c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

def _local_cuda_impl(rctx):
    toolkit, found_by, tried, wrong_variable = _find_toolkit(rctx)
    compiler = _host_compiler(rctx)
    newest = _newest_supported(rctx, toolkit, compiler.kind) if toolkit else 0
    has_gpu, gpus, gpu_found_by = _find_gpus(rctx)
    archs, too_old = _fitting_archs(toolkit, gpus)
    if toolkit:
        _link_toolkit(rctx, toolkit)

    compiler_problem = _compiler_problem(toolkit, compiler, newest) if toolkit else ""
    problem = wrong_variable or ("" if toolkit else "there is no CUDA toolkit.") or compiler_problem
    facts = [
        ("nvcc", toolkit.nvcc if toolkit else ""),
        ("nvcc_found_by", found_by),
        ("version", toolkit.version if toolkit else ""),
        ("top", toolkit.top if toolkit else ""),
        ("known_archs", ["compute_%d" % arch for arch in toolkit.archs] if toolkit else []),
        ("ccbin", compiler.path if compiler.variable == "NVCC_CCBIN" else ""),
        ("own_ccbin", toolkit.own_ccbin if toolkit else False),
        ("host_compiler", compiler.path),
        ("host_compiler_named_by", compiler.variable),
        ("host_compiler_version", compiler.version),
        ("newest_host_compiler", "%s %d" % (compiler.kind, newest) if newest else ""),
        ("has_gpu", has_gpu),
        ("gpus", ["%s, compute capability %s" % (name, cap) if cap else name for cap, name in gpus]),
        ("gpu_found_by", gpu_found_by),
        ("gpu_too_old", too_old),
        ("gpu_archs", archs),
        ("tried", tried),
        ("wrong_variable", wrong_variable),
        ("compiler_problem", compiler_problem),
        ("problem", problem),
    ]
    rctx.file("defs.bzl", "CUDA = struct(\n" + "".join(["    %s = %r,\n" % fact for fact in facts]) + ")\n")
    rctx.file("state.txt", "".join(["%s=%s\n" % fact for fact in facts]))
    rctx.file("facts/local_cuda_facts.h", "".join([
        "#define FACT_%s %s\n" % (
            name.upper(),
            str(1 if value else 0) if type(value) == "bool" else _c_string("\n".join(value) if type(value) == "list" else value),
        )
        for name, value in facts
    ]))
    rctx.file("BUILD", _BUILD + (_BUILD_CUDA if toolkit else _BUILD_NO_CUDA))
    rctx.file("WORKSPACE", "")

local_cuda = repository_rule(
    implementation = _local_cuda_impl,
    configure = True,
    environ = _ENV,
    local = True,
)
