#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs what pack.sh packed, on a machine with a GPU.
#
#   bash run_all.sh OUT
#
# OUT gets a text file for each program: what it printed. The last line says how many programs
# ended well, and how many kernels they ran. Exit status 0 only if all programs did.
# Variables: RUN_ALL_JOBS (at once, default 4), RUN_ALL_SECONDS (for one program, default 60).
set -u
here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { echo "usage: run_all.sh OUT" >&2; exit 2; }
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
export LD_LIBRARY_PATH="$here/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

run_one() {
  timeout -k 5 "${RUN_ALL_SECONDS:-60}" "$here/programs/$1" >"$out/$1.txt" 2>"$out/$1.err" </dev/null
  echo $? >"$out/$1.status"
  [ -s "$out/$1.err" ] || rm -f "$out/$1.err"
}

for program in "$here"/programs/*; do
  while [ "$(jobs -pr | wc -l)" -ge "${RUN_ALL_JOBS:-4}" ]; do wait -n; done
  run_one "$(basename "$program")" &
done
wait
all=$(find "$out" -name '*.status' | wc -l)
well=$(cat "$out"/*.status | grep -c '^0$')
rm -f "$out"/*.status
echo "$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>&1 | head -1)"
echo "$(cat "$out"/*.txt | grep -c '^kernel .*: error') kernels with an error"
echo "$well of $all programs ended well, $(cat "$out"/*.txt | grep -c '^kernel ') kernels in $SECONDS s"
[ "$well" -eq "$all" ] && [ "$all" -gt 0 ]
