#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Packs random programs, compiled by nvcc, to be run on another machine that has a GPU.
#
#   bash tests/cpu_device/fuzz/pack.sh [FOLDER [PROGRAMS [KERNELS [SEED [ARCH]]]]]
#                                    (default: dist/fuzz_pack 10 120 1 sm_90)
#
# PROGRAMS of ordinary and as many of unusual forms, with KERNELS each, seeds from SEED up.
# There: bash FOLDER/run_all.sh OUT. Back here:
#   bazel run //tests/cpu_device/fuzz -- FOLDER/sources/*.cu --gpu OUT
set -eu
here=$(cd "$(dirname "$0")" && pwd)
cd "$here/../../.."
pack=${1:-dist/fuzz_pack}
programs=${2:-10}
kernels=${3:-120}
seed=${4:-1}
arch=${5:-sm_90}
nvcc=$(command -v nvcc || echo "${CUDA_HOME:-/usr/local/cuda}/bin/nvcc")

mkdir -p "$pack/sources" "$pack/programs" "$pack/lib"
for kind in "" --unusual; do
  python3 "$here/fuzz.py" --write "$pack/sources" --seed "$seed" --programs "$programs" --kernels "$kernels" $kind
done

# The runtime as a library of its own: 800 KB less in each program.
compile() {
  "$nvcc" -arch="$arch" -std=c++17 -O1 -w -rdc=false -cudart shared "$1" -o "$2" && strip "$2"
}
failed=0
for source in "$pack"/sources/*.cu; do
  while [ "$(jobs -p | wc -l)" -ge "${PACK_JOBS:-2}" ]; do wait -n || failed=1; done
  compile "$source" "$pack/programs/$(basename "$source" .cu)" &
done
while [ -n "$(jobs -p)" ]; do wait -n || failed=1; done
[ $failed -eq 0 ] || echo "pack: nvcc refused some of the programs" >&2
runtime=$(find -L "$(dirname "$(dirname "$nvcc")")" -name 'libcudart.so.[0-9]*' | sort | head -n 1)
cp -L "$runtime" "$pack/lib/$(basename "$runtime" | sed 's/\(\.so\.[0-9]*\).*/\1/')"
cp "$here/run_all.sh" "$pack/"
echo "pack: $(ls "$pack/programs" | wc -l) programs, $(du -sh "$pack" | cut -f1) in $pack"
exit $failed
