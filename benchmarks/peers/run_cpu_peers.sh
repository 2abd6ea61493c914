#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The CPU device beside PoCL, numba's simulator and plain C loops: builds all sides, runs them
# on two cores and prints one table; about three minutes.
#
#   benchmarks/peers/run_cpu_peers.sh [--native] [options of compare_cpu_peers.py]
#
# --native adds a column: our side compiled with -march=native, as PoCL compiles. Peers that are
# not installed are left out, visibly. On Debian:
#   apt-get install pocl-opencl-icd ocl-icd-opencl-dev opencl-headers python3-numba
# BAZEL names the command, with start-up options if need be.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
called_from=$PWD
cd "$here/../.."
BAZEL=${BAZEL:-bazel}

native=
if [ "${1:-}" = --native ]; then
  native=yes
  shift
fi

bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT

# build FOLDER TARGET OPTIONS…: the program, copied into FOLDER
build() {
  folder=$1
  target=$2
  shift 2
  # shellcheck disable=SC2086
  $BAZEL build --config=quiet --config=cpu "$@" "//benchmarks/peers:$target" >&2 || return 1
  # shellcheck disable=SC2086
  cp "$($BAZEL info --config=cpu "$@" bazel-bin 2>/dev/null)/benchmarks/peers/$target" "$folder/"
}

build "$bin" plain_side
build "$bin" cuda_side
if echo '#include <CL/cl.h>' | ${CC:-cc} -E -DCL_TARGET_OPENCL_VERSION=120 - >/dev/null 2>&1; then
  build "$bin" opencl_side || echo "PoCL: left out, its side does not build" >&2
else
  echo "PoCL: left out, no CL/cl.h (Debian: pocl-opencl-icd ocl-icd-opencl-dev opencl-headers)" >&2
fi
if [ -n "$native" ]; then
  mkdir "$bin/native"
  build "$bin/native" cuda_side --copt=-march=native --platform_suffix=-native
  set -- --native-bin "$bin/native" "$@"
fi

cd "$called_from"
status=0
python3 "$here/compare_cpu_peers.py" --bin "$bin" "$@" || status=$?
exit $status
