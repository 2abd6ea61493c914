#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Packs the GPU builds of tests, lessons and benchmarks, with all that they need to run on
# another machine that has a GPU and its driver, but neither Bazel nor a compiler.
#
#   sh benchmarks/pack.sh [ARCHS [FOLDER]]       (default: sm_90,compute_90 dist/gpu_pack)
#
# There: bash FOLDER/run_all.sh OUT. It needs bash; compute-sanitizer, python3 with CuPy and
# gnuplot are used where they are. This machine needs a CUDA toolkit, but no GPU.
# PACK_CONFIG=cpu packs for the CPU device instead, to try run_all.sh without a GPU.
set -eu
cd "$(dirname "$0")/.."

archs=${1:-sm_90,compute_90}
pack=${2:-dist/gpu_pack}
runfiles=$pack/runfiles
files=$runfiles/cuda_lab
bazel_flags="--config=${PACK_CONFIG:-gpu} --archs=$archs --noshow_progress"

say() { printf 'pack: %s\n' "$*"; }

# //lessons:03_elementwise -> lessons/03_elementwise
path_of() { printf '%s\n' "$1" | sed 's|^//||; s|:|/|'; }

rules() { bazel query --noshow_progress "kind('$1 rule', $2) except attr(tags, manual, $2)" 2>/dev/null | sort; }

has_tag() { bazel query --noshow_progress "attr(tags, '\\b$1\\b', tests(//...))" 2>/dev/null; }

# The program and its runfiles, in one tree with all others. Fails if it was not built.
add() {
  built=$bazel_bin/$(path_of "$1")
  [ -x "$built" ] || return 1
  if [ -d "$built.runfiles/cuda_lab" ]; then
    tar -ch -C "$built.runfiles/cuda_lab" . | tar -x -C "$files"
  fi
  mkdir -p "$files/$(dirname "$(path_of "$1")")"
  cp -L "$built" "$files/$(path_of "$1")"
  chmod u+w "$files/$(path_of "$1")"
}

# One line a test: name, tags that matter to run_all.sh, command. Tabs between.
list_test() {
  log=$bazel_testlogs/$(path_of "$1")/test.log
  [ -f "$log" ] || { say "left out, it runs in parts: $1" >&2; return 0; }
  tags=
  case " $exclusive " in *" $1 "*) tags=exclusive ;; esac
  case " $not_sanitized " in *" $1 "*) tags=$tags,no_compute_sanitizer ;; esac
  command=$(sed -n 's/^PACK_COMMAND //p' "$log")
  printf '%s\t%s\t%s\n' "$(path_of "$1")" "${tags:--}" "$command"
}

libraries_of() {
  find "$files" -type f -perm -u+x -exec ldd {} + 2>/dev/null |
    sed -n 's|.* => \(/.*\) (0x.*|\1|p' | sort -u |
    grep -vE '/(libc|libm|libdl|librt|libpthread|libgcc_s|libstdc\+\+|ld-linux[^/]*)\.so'
}

say "building for $archs"
# A test command that only says what it was called with: Bazel itself expands the arguments.
# shellcheck disable=SC2086
bazel test $bazel_flags --nocache_test_results --test_output=errors \
  --run_under="$PWD/benchmarks/pack/record.sh" //tests/... >/dev/null
# shellcheck disable=SC2086
bazel build $bazel_flags //lessons/... //benchmarks/...
# shellcheck disable=SC2086
bazel_bin=$(bazel info $bazel_flags bazel-bin 2>/dev/null)
# shellcheck disable=SC2086
bazel_testlogs=$(bazel info $bazel_flags bazel-testlogs 2>/dev/null)

rm -rf "$pack"
mkdir -p "$files" "$runfiles/lib"
exclusive=$(has_tag exclusive | tr '\n' ' ')
not_sanitized=$(has_tag no_compute_sanitizer | tr '\n' ' ')
for test in $(rules '.*_test' //tests/...); do
  if add "$test"; then list_test "$test"; else say "left out, not for a GPU: $test" >&2; fi
done >"$pack/tests.txt"
for program in $(rules cc_binary //lessons:all); do
  add "$program" && path_of "$program"
done >"$pack/lessons.txt"
for program in $(rules cc_binary //benchmarks:all); do
  add "$program" || say "left out, not for a GPU: $program" >&2
done
cp benchmarks/*.py "$files/benchmarks/"
cp benchmarks/pack/run_all.sh benchmarks/pack/benchmarks.txt "$pack/"
git rev-parse HEAD >"$pack/commit.txt" 2>/dev/null || echo unknown >"$pack/commit.txt"
nvcc=$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)
"$nvcc" --version 2>/dev/null | sed -n 's/.*release \([0-9.]*\),.*/\1/p' >"$pack/toolkit.txt"

# Host symbols are the bulk of it; kernels keep their names and line numbers all the same.
find "$files" -type f -perm -u+x -exec strip {} + 2>/dev/null || true
for library in $(libraries_of); do cp -L "$library" "$runfiles/lib/"; done
tar -cz -C "$runfiles" -f "$pack/runfiles.tar.gz" .
rm -rf "$runfiles"

say "$(wc -l <"$pack/tests.txt") tests, $(wc -l <"$pack/lessons.txt") lessons, $(du -sh "$pack" | cut -f1) in $pack"
say "on the machine with the GPU: bash $pack/run_all.sh OUT"
