#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the build rules that must run Bazel: what is refused, with which message, and
what each kind of machine (no toolkit, odd toolkits, pretended GPUs) is taken for.

    python3 tests/build_rules/build_rules_test.py [--xml FILE] [TestClass[.test_name] ...]

Bazel runs in a folder of links to this tree, with an output base of its own; both are removed
at the end. Most tests use fake toolkits, a script and three empty files, and only analyse, so
they run everywhere; those that compile for the GPU are skipped where there is no real toolkit.
"""
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import unittest
import xml.etree.ElementTree as ElementTree

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRATCH = ""  # made in main
OWN_VARIABLES = ["CC", "CUDA_HOME", "CUDA_PATH", "NVCC_CCBIN", "CUDA_VISIBLE_DEVICES"]
USUAL_PLACES = ["/usr/local/cuda", "/opt/cuda", "/usr/lib/nvidia-cuda-toolkit"]
REAL_TOOLKIT = os.environ.get("CUDA_HOME") or (
    os.path.dirname(os.path.dirname(os.path.realpath(shutil.which("nvcc") or "/x/x/x"))))
HAS_TOOLKIT = os.path.exists(os.path.join(REAL_TOOLKIT, "bin", "nvcc"))
needs_toolkit = unittest.skipUnless(HAS_TOOLKIT, "no CUDA toolkit here")

HERE = "//tests/build_rules:"
BROKEN = "//tests/build_rules/broken:"


def environment(**variables):
    """This process's environment without what chooses compilers and devices, plus variables."""
    env = {k: v for k, v in os.environ.items() if k not in OWN_VARIABLES and not k.startswith("LAB_")}
    env.setdefault("LAB_PRETEND_GPU", "0")
    env.update(variables)
    return env


class Bazel:
    """Result of one run of Bazel."""

    def __init__(self, command, *args, output_base="output_base", prefix=(), **variables):
        words = list(prefix) + ["bazel", "--output_base=" + os.path.join(SCRATCH, output_base), command]
        if command not in ("query", "shutdown"):
            words += ["--experimental_convenience_symlinks=ignore", "--color=no", "--curses=no", "--noshow_progress"]
        res = subprocess.run(words + list(args), cwd=os.path.join(SCRATCH, "tree"), env=environment(**variables), stdin=subprocess.DEVNULL,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        self.status = res.returncode
        self.text = res.stdout


def analyse(*args, **variables):
    return Bazel("build", "--nobuild", *args, **variables)


def write(path, text, executable=False):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as out:
        out.write(text)
    if executable:
        os.chmod(path, 0o755)
    return path


def fake_toolkit(name, include="include", lib="lib64", version="12.2", newest_gcc=12, leave_out=()):
    """A folder that looks like a toolkit to whoever only asks nvcc; returns its path."""
    top = os.path.join(SCRATCH, name)
    write(os.path.join(top, "bin", "nvcc"), """#!/bin/sh
here=$(dirname "$0")
case $1 in
--version) echo "Cuda compilation tools, release %s, V%s.1" ;;
--list-gpu-arch) for n in 70 75 80 86 90; do echo compute_$n; done ;;
-dryrun)
  echo "#$ TOP=$here/.." >&2
  echo "#$ INCLUDES=\\"-I$here/../%s\\"  " >&2
  echo "#$ LIBRARIES=  \\"-L$here/../%s/stubs\\" \\"-L$here/../%s\\"" >&2 ;;
*) exit 1 ;;
esac
""" % (version, version, include, lib, lib), executable=True)
    if "header" not in leave_out:
        write(os.path.join(top, include, "cuda_runtime_api.h"), "")
    if "library" not in leave_out:
        write(os.path.join(top, lib, "libcudart_static.a"), "")
    write(os.path.join(top, include, "crt", "host_config.h"),
          "#if __GNUC__ > %d\n#error\n#endif\n#if (__clang_major__ >= 16) || x\n#error\n#endif\n" % newest_gcc)
    return top


def fake_gcc(name, version):
    """A compiler that calls itself gcc VERSION and is this machine's gcc otherwise."""
    return write(os.path.join(SCRATCH, name), """#!/bin/sh
case "$*" in
*-dM*) echo "#define __GNUC__ %d"; echo "#define __GNUC_MINOR__ 1" ;;
*) exec /usr/bin/gcc "$@" ;;
esac
""" % version, executable=True)


class BuildRulesTest(unittest.TestCase):
    def check(self, result, succeeds, *texts):
        if succeeds != (result.status == 0):
            self.fail("status %d, output:\n%s" % (result.status, result.text))
        for text in texts:
            self.assertIn(text, result.text)

    def build_info(self, *args, **variables):
        """The constants of bazel/build_info.h, by name."""
        result = Bazel("build", HERE.replace("tests/build_rules:", "bazel:build_info"), *args, **variables)
        self.check(result, True)
        path = Bazel("info", "--noshow_progress", "bazel-bin", *args, **variables).text.strip().split("\n")[-1]
        with open(os.path.join(path, "bazel", "build_info.h")) as lines:
            words = [line.split(" ", 2) for line in lines if line.startswith("#define BUILD_")]
        return {w[1]: w[2].strip().strip('"') for w in words}


class ChoiceOfDevice(BuildRulesTest):
    def test_auto_without_gpu_is_the_cpu_and_says_why(self):
        info = self.build_info(CUDA_HOME=fake_toolkit("plain"))
        self.assertEqual("cpu", info["BUILD_DEVICE"])
        self.assertEqual("No GPU was found: LAB_PRETEND_GPU=0.", info["BUILD_DEVICE_REASON"])

    def test_auto_with_gpu_and_toolkit_is_the_gpu(self):
        info = self.build_info(CUDA_HOME=fake_toolkit("plain"), LAB_PRETEND_GPU="9.0")
        self.assertEqual("gpu", info["BUILD_DEVICE"])
        self.assertEqual("12.2", info["BUILD_TOOLKIT_VERSION"])

    def test_auto_with_gpu_without_toolkit_is_the_cpu_and_says_why(self):
        info = self.build_info(LAB_PRETEND_TOOLKIT="0", LAB_PRETEND_GPU="9.0")
        self.assertEqual("cpu", info["BUILD_DEVICE"])
        self.assertIn("no CUDA toolkit", info["BUILD_DEVICE_REASON"])

    def test_gpu_without_toolkit_is_one_error_that_names_variables_and_places(self):
        result = analyse("--config=gpu", "//tests/build_rules/...", LAB_PRETEND_TOOLKIT="0")
        self.check(result, False, "CUDA_HOME", "CUDA_PATH", "PATH", "the usual places", "--config=cpu")
        self.assertEqual(1, result.text.count("Error in fail"))

    def test_unknown_device_is_refused_with_the_list(self):
        self.check(analyse("--device=npu", "//bazel/..."), False, "--device=npu: must be one of auto, gpu, cpu")

    def test_everything_analyses_without_toolkit(self):
        self.check(analyse("//...", LAB_PRETEND_TOOLKIT="0"), True)
        self.check(Bazel("query", "//...", LAB_PRETEND_TOOLKIT="0"), True, "//lessons:03_elementwise", HERE + "top")

    def test_everything_analyses_with_toolkit_without_gpu(self):
        self.check(analyse("//...", CUDA_HOME=fake_toolkit("plain")), True)

    def test_everything_analyses_with_toolkit_and_gpu(self):
        self.check(analyse("//...", CUDA_HOME=fake_toolkit("plain"), LAB_PRETEND_GPU="9.0"), True)

    @unittest.skipUnless(os.getuid() == 0 and subprocess.run(
        ["unshare", "-m", "true"], stderr=subprocess.DEVNULL).returncode == 0, "needs a mount namespace")
    def test_machine_without_any_toolkit(self):
        """Not pretended: the usual places are hidden by empty folders."""
        folders = {os.path.realpath(p) for p in USUAL_PLACES + [REAL_TOOLKIT] if os.path.isdir(p)}
        hide = "".join("mount -t tmpfs none '%s' && " % f for f in sorted(folders) if f not in ("/usr", "/"))
        prefix = ["unshare", "-m", "sh", "-c", hide + 'exec "$@"', "sh"]
        path = ":".join(d for d in os.environ["PATH"].split(":") if not os.path.exists(os.path.join(d, "nvcc")))
        there = dict(prefix=prefix, output_base="bare_base", PATH=path)
        try:
            self.check(Bazel("query", "//...", **there), True)
            self.check(Bazel("build", "--nobuild", "//...", **there), True)
            self.check(Bazel("run", "//bazel:doctor", **there), True, "CUDA toolkit          none", "the CPU device")
            result = Bazel("build", "--nobuild", "--config=gpu", HERE + "top", **there)
            self.check(result, False, "/usr/local/cuda/bin/nvcc: not there", "PATH: no nvcc there")
        finally:
            Bazel("shutdown", **there)


class Variables(BuildRulesTest):
    def check_refused(self, variable, value, missing):
        result = analyse("--config=gpu", HERE + "top", **{variable: value})
        self.check(result, False, "%s is '%s', but %s" % (variable, value, missing))
        self.assertEqual(1, result.text.count("Error in fail"))
        self.check(analyse("--config=cpu", HERE + "top", **{variable: value}), True)

    def test_folder_that_is_not_there(self):
        for variable in ("CUDA_HOME", "CUDA_PATH"):
            with self.subTest(variable):
                self.check_refused(variable, "/no/such/cuda", "there is no such folder")

    def test_wrong_cuda_path_counts_beside_a_right_cuda_home(self):
        result = analyse("--config=gpu", HERE + "top", CUDA_HOME=fake_toolkit("plain"), CUDA_PATH="/no/such/cuda")
        self.check(result, False, "CUDA_PATH is '/no/such/cuda'", "a toolkit was found at")

    def test_folder_without_nvcc(self):
        folder = os.path.join(SCRATCH, "empty folder")
        os.makedirs(folder, exist_ok=True)
        self.check_refused("CUDA_PATH", folder, "there is no bin/nvcc in that folder")

    def test_relative_path(self):
        self.check_refused("CUDA_HOME", "cuda", "it is not an absolute path")

    def test_toolkit_without_headers(self):
        top = fake_toolkit("headless", leave_out=["header"])
        self.check_refused("CUDA_HOME", top, "there is %s/bin/nvcc, but no cuda_runtime_api.h" % top)

    def test_toolkit_without_runtime(self):
        top = fake_toolkit("runtimeless", leave_out=["library"])
        self.check_refused("CUDA_HOME", top, "there is %s/bin/nvcc, but no libcudart_static.a" % top)

    def test_nvcc_that_does_not_run(self):
        top = fake_toolkit("dead")
        write(os.path.join(top, "bin", "nvcc"), "#!/bin/sh\necho cannot execute >&2\nexit 1\n", executable=True)
        self.check_refused("CUDA_HOME", top, top + "/bin/nvcc --version failed: cannot execute")

    def test_layouts(self):
        for name, options in {
            "plain": {},
            "with a space": {},
            "conda": {"include": "targets/x86_64-linux/include", "lib": "lib"},
            "conda targets": {"include": "targets/x86_64-linux/include", "lib": "targets/x86_64-linux/lib"},
        }.items():
            with self.subTest(name):
                top = fake_toolkit(name, version="12.1", **options)
                self.check(analyse("--config=gpu", HERE + "top", CUDA_PATH=top), True)
                info = self.build_info("--config=gpu", CUDA_PATH=top)
                self.assertEqual("12.1", info["BUILD_TOOLKIT_VERSION"])

    def test_unset_variables_find_nvcc_on_the_path(self):
        path = os.path.join(fake_toolkit("on the path", version="11.9"), "bin") + ":" + os.environ["PATH"]
        self.assertEqual("11.9", self.build_info("--config=gpu", PATH=path)["BUILD_TOOLKIT_VERSION"])

    def test_link_to_nvcc_on_the_path(self):
        folder = os.path.join(SCRATCH, "links")
        os.makedirs(folder, exist_ok=True)
        link = os.path.join(folder, "nvcc")
        if not os.path.lexists(link):
            os.symlink(os.path.join(fake_toolkit("linked", version="11.7"), "bin", "nvcc"), link)
        info = self.build_info("--config=gpu", PATH=folder + ":" + os.environ["PATH"])
        self.assertEqual("11.7", info["BUILD_TOOLKIT_VERSION"])

    @needs_toolkit
    def test_real_toolkit_in_a_folder_with_a_space(self):
        link = os.path.join(SCRATCH, "my cuda")
        if not os.path.lexists(link):
            os.symlink(REAL_TOOLKIT, link)
        self.check(Bazel("build", "--config=gpu", HERE + "top", CUDA_HOME=link), True)


class HostCompiler(BuildRulesTest):
    def test_too_new_for_nvcc(self):
        """Named: what was found, the newest that is supported, the way to another."""
        gcc = fake_gcc("gcc-99", 99)
        for variable in ("NVCC_CCBIN", "CC"):
            with self.subTest(variable):
                there = {"CUDA_HOME": fake_toolkit("plain"), variable: gcc}
                self.check(analyse("--config=gpu", HERE + "top", **there), False,
                           "nvcc 12.2 does not support gcc 99.1 (%s): the newest that it supports is gcc 12" % gcc,
                           "NVCC_CCBIN=/usr/bin/g++-12")
                self.check(analyse("--config=cpu", HERE + "top", **there), True)

    def test_too_new_in_auto_runs_on_the_cpu_and_says_why(self):
        info = self.build_info(CUDA_HOME=fake_toolkit("plain"), NVCC_CCBIN=fake_gcc("gcc-99", 99), LAB_PRETEND_GPU="9.0")
        self.assertEqual("cpu", info["BUILD_DEVICE"])
        self.assertIn("does not support gcc 99.1", info["BUILD_DEVICE_REASON"])

    def test_named_compiler_reaches_nvcc_and_no_check_is_overridden(self):
        gcc = fake_gcc("gcc-11", 11)
        result = Bazel("aquery", "--config=gpu", 'mnemonic("CudaCompile", %stop)' % HERE,
                       CUDA_HOME=fake_toolkit("plain"), NVCC_CCBIN=gcc)
        self.check(result, True, gcc)
        self.assertNotIn("allow-unsupported-compiler", result.text)

    def test_named_compiler_that_is_not_there(self):
        result = analyse("--config=gpu", HERE + "top", CUDA_HOME=fake_toolkit("plain"), NVCC_CCBIN="/no/such/gcc")
        self.check(result, False, "NVCC_CCBIN is '/no/such/gcc', but there is no such compiler")

    def ccache_link(self):
        """A ccache that, as in a sandbox, cannot write its cache."""
        write(os.path.join(SCRATCH, "ccache", "ccache"), """#!/bin/sh
[ -n "$CCACHE_DISABLE" ] || { echo "ccache: error: Read-only file system" >&2; exit 1; }
exec /usr/bin/gcc "$@"
""", executable=True)
        link = os.path.join(SCRATCH, "ccache", "gcc")
        if not os.path.lexists(link):
            os.symlink("ccache", link)
        return link

    def test_link_to_ccache_compiles_for_the_cpu(self):
        self.check(Bazel("build", "//bazel:doctor", CC=self.ccache_link()), True)

    @needs_toolkit
    def test_link_to_ccache_compiles_for_the_gpu(self):
        self.check(Bazel("build", "--config=gpu", HERE + "top", CC=self.ccache_link()), True)


class Architectures(BuildRulesTest):
    def test_unknown_ones_are_refused_with_the_known_list(self):
        for archs in ("sm_99", "sm_80,compute_99", "fast", "sm_", "80;90", "sm_90x"):
            with self.subTest(archs):
                result = analyse("--config=gpu", "--archs=" + archs, HERE + "top", CUDA_HOME=fake_toolkit("plain"))
                self.check(result, False, "--archs=%s: nvcc 12.2 does not know" % archs, "70, 75, 80, 86, 90")

    def test_what_is_asked_for_is_embedded(self):
        for archs, want in {"sm_80": "sm_80", "80,90": "sm_80 sm_90", "8.6": "sm_86", "sm_90a": "sm_90a",
                            "sm_80,compute_80": "sm_80 compute_80"}.items():
            with self.subTest(archs):
                info = self.build_info("--config=gpu", "--archs=" + archs, CUDA_HOME=fake_toolkit("plain"))
                self.assertEqual(want, info["BUILD_ARCHS"])

    def test_default_fits_the_gpus_and_embeds_ptx(self):
        for gpus, want in {"0": "sm_80 compute_80", "7.5": "sm_75 compute_75", "9.0": "sm_90 compute_90", "8.0,9.0": "sm_80 sm_90 compute_90",
                           "12.0": "compute_90"}.items():
            with self.subTest(gpus):
                info = self.build_info("--config=gpu", CUDA_HOME=fake_toolkit("plain"), LAB_PRETEND_GPU=gpus)
                self.assertEqual(want, info["BUILD_ARCHS"])

    def test_gpu_too_old_for_the_toolkit(self):
        info = self.build_info(CUDA_HOME=fake_toolkit("plain"), LAB_PRETEND_GPU="3.5")
        self.assertEqual("cpu", info["BUILD_DEVICE"])
        self.assertIn("compute capability 3.5 is too old for CUDA 12.2", info["BUILD_DEVICE_REASON"])

    def test_fmad_reaches_nvcc(self):
        for flag, contracts in {"--fmad=true": True, "--fmad=false": False}.items():
            result = Bazel("aquery", "--config=gpu", flag, 'mnemonic("CudaCompile", %stop)' % HERE,
                           CUDA_HOME=fake_toolkit("plain"))
            self.check(result, True)
            self.assertEqual(contracts, "-fmad=false" not in result.text)


class Compilation(BuildRulesTest):
    def devices(self):
        return ["cpu", "gpu"] if HAS_TOOLKIT else ["cpu"]

    def test_undeclared_header_is_refused(self):
        for device in self.devices():
            with self.subTest(device):
                self.check(Bazel("build", "--config=" + device, BROKEN + "undeclared_header"), False,
                           "undeclared.h: No such file or directory")

    def test_warning_names_the_line_of_the_students_file(self):
        result = Bazel("build", "--config=cpu", BROKEN + "warning")
        self.check(result, True, "tests/build_rules/broken/warning.cu:7:", "int never_used = 3;")

    def test_literal_that_makes_a_float_kernel_compute_in_double(self):
        """Warned of with file and line, in device code alone, and not where double is meant."""
        result = Bazel("build", "--config=cpu", BROKEN + "literals")
        self.check(result, True)
        found = re.findall(r"tests/build_rules/broken/literals\.cu:(\d+):.*warning: (.*)", result.text)
        self.assertEqual({"8", "13", "21"}, {line for line, _ in found}, result.text)
        for _, message in found:
            self.assertRegex(message, "float.*double")
        result = Bazel("build", "--config=cpu", "--copt=-Wno-double-promotion", BROKEN + "literals")
        self.check(result, True)
        self.assertNotIn("warning", result.text)

    def test_misspelt_kernel_is_one_error(self):
        result = Bazel("build", "--config=cpu", BROKEN + "misspelt_kernel")
        self.check(result, False, "tests/build_rules/broken/misspelt_kernel.cu:7:",
                   'identifier "kernle" is undefined')
        self.assertEqual(1, result.text.count("error:"), result.text)

    def test_error_names_the_line_of_the_students_file(self):
        for device in self.devices():
            with self.subTest(device):
                result = Bazel("build", "--config=" + device, BROKEN + "syntax_error")
                self.check(result, False)
                self.assertRegex(result.text, r"tests/build_rules/broken/syntax_error\.cu[:(]4\b")

    @unittest.skipUnless(subprocess.run(
        ["unshare", "-n", "ip", "link", "set", "lo", "up"], stderr=subprocess.DEVNULL).returncode == 0,
        "needs a network namespace")
    def test_builds_and_tests_without_a_network(self):
        """From nothing: an output tree of its own, and no network but the way to itself."""
        prefix = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"]
        there = dict(prefix=prefix, output_base="no_network_base")
        try:
            self.check(Bazel("test", "--config=cpu", "//tests/kernels:int32_test", **there), True, "PASSED")
        finally:
            Bazel("shutdown", **there)

    def test_results_are_cached_on_the_cpu(self):
        Bazel("test", "--config=cpu", BROKEN + "always_passes_test")
        self.check(Bazel("test", "--config=cpu", BROKEN + "always_passes_test"), True, "(cached) PASSED")

    @needs_toolkit
    def test_results_are_never_cached_on_the_gpu(self):
        Bazel("test", "--config=gpu", BROKEN + "always_passes_test")
        result = Bazel("test", "--config=gpu", BROKEN + "always_passes_test")
        self.check(result, True, "PASSED", "Executed 1 out of 1 test")
        self.assertNotIn("(cached)", result.text)

    def test_run_shows_little_but_the_programs_words(self):
        Bazel("run", "--config=cpu", "//bazel:doctor")
        lines = Bazel("run", "--config=cpu", "//bazel:doctor").text.split("\n")
        noise = [line for line in lines[:lines.index("") if "" in lines else None] if line.startswith(("INFO", "Loading"))]
        self.assertLessEqual(len(noise), 6, noise)


class Sanitizers(BuildRulesTest):
    def test_asan_names_the_line_of_an_overflow(self):
        self.check(Bazel("run", "--config=asan", BROKEN + "heap_overflow"), False,
                   "heap-buffer-overflow", "tests/build_rules/broken/heap_overflow.c:8")

    def test_ubsan_names_the_line_of_a_bad_shift(self):
        self.check(Bazel("run", "--config=ubsan", BROKEN + "shift"), False,
                   "tests/build_rules/broken/shift.c:6:", "shift exponent 32 is too large")


class SetUp(unittest.TestCase):
    """setup.sh, with stand-ins for apt-get and dpkg-query."""

    def run_setup(self, installed, update_status=0, install_status=0, with_apt=True, args=()):
        top = tempfile.mkdtemp(dir=SCRATCH)
        calls = os.path.join(top, "calls")
        for name in ("id", "uname", "cat", "env"):
            os.symlink(shutil.which(name), os.path.join(top, name))
        write(os.path.join(top, "bazel"), "#!/bin/sh\n", executable=True)
        if with_apt:
            write(os.path.join(top, "apt-get"), """#!/bin/sh
echo "$@" >>%s
case $1 in update) exit %d ;; install) exit %d ;; esac
""" % (calls, update_status, install_status), executable=True)
            write(os.path.join(top, "dpkg-query"), """#!/bin/sh
for last; do :; done
case " %s " in *" $last "*) echo installed ;; *) exit 1 ;; esac
""" % " ".join(installed), executable=True)
        res = subprocess.run(["/bin/sh", os.path.join(ROOT, "setup.sh"), *args], env={"PATH": top}, cwd=top, text=True,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        called = open(calls).read().strip().split("\n") if os.path.exists(calls) else []
        return res.returncode, res.stdout, called

    ALL = ["bazel-bootstrap", "g++", "git", "gnuplot-nox", "googletest", "libboost-context-dev", "libcjson-dev",
           "libdw-dev", "python3"]

    def test_where_all_is_there_nothing_is_called(self):
        status, text, calls = self.run_setup(self.ALL)
        self.assertEqual((0, []), (status, calls), text)
        self.assertIn("all is there already", text)

    def test_only_what_is_missing_is_installed(self):
        status, text, calls = self.run_setup([p for p in self.ALL if p not in ("googletest", "libdw-dev")])
        self.assertEqual(0, status, text)
        self.assertEqual(["update", "install -y --no-install-recommends googletest libdw-dev"], calls)
        self.assertIn("installing with apt: googletest libdw-dev", text)

    def test_old_lists_do_when_no_new_ones_can_be_had(self):
        status, text, calls = self.run_setup(self.ALL[:-1], update_status=100)
        self.assertEqual((0, 2), (status, len(calls)), text)

    def test_failing_install_fails_and_names_the_packages(self):
        status, text, _ = self.run_setup(self.ALL[1:-1], install_status=100)
        self.assertNotEqual(0, status)
        self.assertIn("apt could not install: python3", text)  # this bazel stands for bazel-bootstrap

    def test_unknown_system_is_told_what_to_install(self):
        status, text, _ = self.run_setup([], with_apt=False)
        self.assertNotEqual(0, status)
        self.assertIn("bazelisk", text)
        self.assertIn("C++17 compiler", text)

    def test_takes_no_arguments(self):
        self.assertNotEqual(0, self.run_setup(self.ALL, args=["--help-me"])[0])


class CountOfTests(unittest.TestCase):
    """.ci/count_tests.py"""

    def count(self, text, *args):
        path = write(os.path.join(SCRATCH, "count", "test.xml"), text)
        res = subprocess.run([sys.executable, os.path.join(ROOT, ".ci", "count_tests.py"), "--xml", path, *args],
                             stdout=subprocess.PIPE, text=True)
        return res.stdout.strip().split("\n")[-1], res.returncode

    def test_each_kind_is_counted(self):
        line = self.count("""<testsuites><testsuite><testcase name="a" status="run"/>
            <testcase name="b"><failure/></testcase><testcase name="c"><error/></testcase>
            <testcase name="d"><skipped/></testcase><testcase name="e" status="notrun"/></testsuite></testsuites>""")
        self.assertEqual(("1 passed, 2 failed, 2 skipped", 1), line)

    def test_all_passed(self):
        self.assertEqual(("1 passed, 0 failed, 0 skipped", 0), self.count("<s><testcase/></s>", "--step-status", "0"))

    def test_nothing_ran_is_no_success(self):
        self.assertEqual(("0 passed, 0 failed, 0 skipped", 1), self.count("<s/>"))

    def test_step_that_fails_without_a_failing_case_counts(self):
        self.assertEqual(("1 passed, 1 failed, 0 skipped", 1), self.count("<s><testcase/></s>", "--step-status", "3"))

    def test_broken_file_counts(self):
        self.assertEqual(("0 passed, 1 failed, 0 skipped", 1), self.count("<s><testcase/>", "--step-status", "1"))


class Recorder(unittest.TextTestResult):
    """Also keeps each test's name, time and outcome, for JUnit XML."""

    def startTest(self, test):
        super().startTest(test)
        self.started = time.time()
        self.wrong = ""

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error:
            self.wrong += "%s\n%s\n" % (subtest, self._exc_info_to_string(error, test))

    def addError(self, test, error):
        super().addError(test, error)
        self.wrong += self._exc_info_to_string(error, test)

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.wrong += self._exc_info_to_string(error, test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.cases.append((test, 0, "skipped", reason))
        self.wrong = None

    def stopTest(self, test):
        super().stopTest(test)
        if self.wrong is not None:
            self.cases.append((test, time.time() - self.started, "failure" if self.wrong else "", self.wrong))


def write_xml(path, cases):
    suite = ElementTree.Element("testsuite", name="build_rules", tests=str(len(cases)))
    for test, seconds, kind, text in cases:
        case = ElementTree.SubElement(suite, "testcase", classname=type(test).__name__, name=test._testMethodName,
                                      time="%.3f" % seconds)
        if kind:
            ElementTree.SubElement(case, kind, message=text.strip().split("\n")[-1]).text = text
    ElementTree.ElementTree(suite).write(path, encoding="utf-8", xml_declaration=True)


def link_tree():
    """Without the links bazel-* that Bazel left in the tree: //... would follow them."""
    os.mkdir(os.path.join(SCRATCH, "tree"))
    for name in os.listdir(ROOT):
        if not name.startswith("bazel-") and name != ".git":
            os.symlink(os.path.join(ROOT, name), os.path.join(SCRATCH, "tree", name))


def remove_scratch():
    Bazel("shutdown")

    def make_writable(function, path, _):
        os.chmod(os.path.dirname(path), stat.S_IRWXU)
        os.chmod(path, stat.S_IRWXU)
        function(path)

    shutil.rmtree(SCRATCH, onerror=make_writable)


def main(args):
    global SCRATCH
    xml = ""
    if args[:1] == ["--xml"]:
        xml, args = args[1], args[2:]
    SCRATCH = tempfile.mkdtemp(prefix="build_rules_test.")
    link_tree()
    Recorder.cases = []
    module = sys.modules[__name__]
    loader = unittest.defaultTestLoader
    tests = loader.loadTestsFromNames(args, module) if args else loader.loadTestsFromModule(module)
    try:
        result = unittest.TextTestRunner(resultclass=Recorder, verbosity=2, stream=sys.stdout).run(tests)
    finally:
        remove_scratch()
        if xml:
            write_xml(xml, Recorder.cases)
    return 0 if result.wasSuccessful() and Recorder.cases else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
