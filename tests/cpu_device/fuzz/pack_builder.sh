#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs the fuzzer with all that builds programs for the CPU device, for a machine that has a GPU,
# nvcc, g++ and many cores, but no Bazel.
#
#   sh tests/cpu_device/fuzz/pack_builder.sh [FOLDER]        (default: dist/fuzz_builder)
#
# There: python3 FOLDER/fuzz/on_gpu.py --seconds 240 --seed 1
set -eu
cd "$(dirname "$0")/../../.."
pack=${1:-dist/fuzz_builder}
bazel build --noshow_progress --config=cpu //bazel/cu
rm -rf "$pack"
mkdir -p "$pack/runfiles" "$pack/lib"
cp -rL bazel-bin/bazel/cu/cu.runfiles/cuda_lab "$pack/runfiles/cuda_lab"
rm -rf "$pack/runfiles/cuda_lab/external"
cp bazel/cu/cu.py "$pack/runfiles/cuda_lab/bazel/cu/cu.py"
mkdir "$pack/fuzz"
cp tests/cpu_device/fuzz/*.py "$pack/fuzz/"
for library in libboost_context.a libdw.so libelf.so libz.so.1 liblzma.so.5 libbz2.so.1.0; do
  cp -L "$(g++ -print-file-name=$library)" "$pack/lib/$library"
done
ln -s libdw.so "$pack/lib/libdw.so.1"
ln -s libelf.so "$pack/lib/libelf.so.1"
git rev-parse HEAD >"$pack/commit.txt"
du -sh "$pack"
