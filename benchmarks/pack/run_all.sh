#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs what pack.sh packed, on a machine with a GPU.
#
#   bash run_all.sh OUT [tests] [lessons] [bench] [sanitizer]        (default: all four)
#
# OUT gets summary.txt, a log a stage, tests.xml (JUnit), lessons.json and bench.json. The last line, also
# of summary.txt, is "N passed, N failed, N skipped". Exit status 0 only if nothing failed.
# Variables: RUN_ALL_JOBS (at once, default 4), RUN_ALL_SECONDS (time for all, default 530).
set -u

here=$(cd "$(dirname "$0")" && pwd)
started_as="run_all.sh OUT ${*:2}"
[ $# -ge 1 ] || { echo "usage: run_all.sh OUT [tests] [lessons] [bench] [sanitizer]" >&2; exit 2; }
mkdir -p "$1" || exit 2
out=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- tests lessons bench sanitizer
for stage; do
  case $stage in tests | lessons | bench | sanitizer) ;; *) echo "run_all.sh: no such stage: $stage" >&2; exit 2 ;; esac
done

jobs_at_once=${RUN_ALL_JOBS:-4}
deadline=$((SECONDS + ${RUN_ALL_SECONDS:-530}))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0
: >"$out/summary.txt"

say() { printf '%s\n' "$*" | tee -a "$out/summary.txt"; }

# As Bazel runs tests: from the root of the runfiles.
runfiles=$work/runfiles
mkdir "$runfiles" && tar -xz -C "$runfiles" -f "$here/runfiles.tar.gz" && cd "$runfiles/cuda_lab" || exit 2
export LD_LIBRARY_PATH="$runfiles/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export TEST_SRCDIR="$runfiles" RUNFILES_DIR="$runfiles" TEST_WORKSPACE=cuda_lab
export LAB_REQUIRE_GPU=1 LAB_GPU_LOCK=0

seconds_left() { echo $((deadline > SECONDS ? deadline - SECONDS : 0)); }

# run_job NAME LIMIT COMMAND: runs it, keeps its output and status under $work.
run_job() {
  local name=$1 limit=$2 left start=$SECONDS status
  left=$(seconds_left)
  [ "$left" -lt "$limit" ] && limit=$left
  mkdir -p "$work/$name"
  if [ "$limit" -le 1 ]; then
    echo "no time left" >"$work/$name/log"
    status=skipped
  else
    TEST_TMPDIR=$work/$name XML_OUTPUT_FILE=$work/$name/test.xml GTEST_OUTPUT=xml:$work/$name/test.xml \
      json=$work/$name/record.json timeout -k 5 "$limit" bash -c "$3" >"$work/$name/log" 2>&1 </dev/null
    status=$?
    [ $status -eq 124 ] && echo "run_all.sh: stopped after $limit s" >>"$work/$name/log"
  fi
  echo "$status $((SECONDS - start))" >"$work/$name/status"
}

# Starts a job once fewer than jobs_at_once run.
start_job() {
  while [ "$(jobs -pr | wc -l)" -ge "$jobs_at_once" ]; do wait -n; done
  run_job "$@" &
}

# report NAME LOG: adds a finished job to the counts, the summary and a stage's log.
report() {
  local name=$1 log=$2 status took xml=$work/$1/test.xml bad=0 ok=0 left_out=0
  read -r status took <"$work/$name/status"
  if [ "$status" = skipped ]; then
    left_out=1
  elif grep -q '^========= Error: Target application terminated before first instrumented API call' "$work/$name/log"; then
    left_out=1 # it never used the device: nothing to find
  elif [ -s "$xml" ] && grep -q '<testcase' "$xml"; then
    local all
    all=$(grep -c '<testcase' "$xml")
    bad=$(awk '/<testcase/ {open = 1} /<failure/ && open {n++; open = 0} END {print n + 0}' "$xml")
    left_out=$(grep '<testcase' "$xml" | grep -cE 'result="skipped"|status="notrun"')
    ok=$((all - bad - left_out))
    [ "$status" -ne 0 ] && [ "$bad" -eq 0 ] && bad=1
  elif [ "$status" -eq 0 ]; then
    ok=1
  else
    bad=1
  fi
  passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + left_out))
  say "$(printf '%-60s %s in %s s: %d passed, %d failed, %d skipped' "$name" \
    "$([ "$bad" -eq 0 ] && echo ok || echo "FAILED (status $status)")" "$took" "$ok" "$bad" "$left_out")"
  { printf '\n===== %s (status %s, %s s)\n' "$name" "$status" "$took"; head -c 300000 "$work/$name/log"; } >>"$log"
}

run_tests() {
  local name tags command names=()
  while IFS=$'\t' read -r name tags command; do
    names+=("$name")
    case $tags in *exclusive*) continue ;; esac
    start_job "$name" 180 "$command"
  done <"$here/tests.txt"
  wait
  # What measures time runs alone.
  while IFS=$'\t' read -r name tags command; do
    case $tags in *exclusive*) run_job "$name" 180 "$command" ;; esac
  done <"$here/tests.txt"
  for name in "${names[@]}"; do report "$name" "$out/tests.log"; done
  { echo '<?xml version="1.0" encoding="UTF-8"?><testsuites>'
    find "$work/tests" -name test.xml -exec sed -e '/<?xml/d' -e '/<\/*testsuites/d' {} +
    echo '</testsuites>'; } >"$out/tests.xml"
}

# A lesson with options, those that are given and small sizes; the first lesson takes none.
with_options() {
  case $1 in
  lessons/00_*) printf '%s\n' "$1" ;;
  lessons/01_*) printf '%s %s\n' "$1" "$2" ;;
  *) printf '%s %s %s\n' "$1" "$2" "${3:-}" ;;
  esac
}

query_gpu() { nvidia-smi --query-gpu="$1" --format=csv,noheader 2>/dev/null | head -1; }

# keep_record NAME KIND FILE: the job's record.json becomes an element of the file's array
# "KINDs", below what was run on what.
keep_record() {
  local record=$work/$1/record.json separator=,
  [ -s "$record" ] || return 0
  if [ ! -s "$3" ]; then
    separator=
    printf '{"device": "%s", "driver": "%s", "toolkit": "%s", "commit": "%s", "date": "%s",\n "command": "%s",\n "%ss": [' \
      "$(query_gpu name)" "$(query_gpu driver_version)" "$(cat "$here/toolkit.txt")" \
      "$(cat "$here/commit.txt")" "$(date -u +%F)" "$started_as" "$2" >"$3"
  fi
  { printf '%s\n{"%s": "%s", "record": ' "$separator" "$2" "${1##*/}"
    cat "$record"
    printf '}'; } >>"$3"
}

end_records() { [ ! -s "$1" ] || printf '\n]}\n' >>"$1"; }

run_lessons() {
  local name
  while read -r name; do
    # shellcheck disable=SC2016 # run_job sets it
    run_job "$name" 120 "$(with_options "$name" '--json "$json"')"
    report "$name" "$out/lessons.log"
    keep_record "$name" lesson "$out/lessons.json"
  done <"$here/lessons.txt"
  end_records "$out/lessons.json"
}

run_bench() {
  local name command
  while IFS=$'\t' read -r name command; do
    run_job "bench/$name" 200 "$command"
    report "bench/$name" "$out/bench.log"
    keep_record "bench/$name" benchmark "$out/bench.json"
  done <"$here/benchmarks.txt"
  end_records "$out/bench.json"
}

find_sanitizer() {
  local place
  for place in compute-sanitizer "${CUDA_HOME:-/usr/local/cuda}/bin/compute-sanitizer" \
    /usr/local/cuda/bin/compute-sanitizer /usr/local/cuda/compute-sanitizer/compute-sanitizer; do
    command -v "$place" && return
  done
}

run_sanitizer() {
  local sanitizer tool name tags command flags names=()
  sanitizer=$(find_sanitizer)
  if [ -z "$sanitizer" ]; then
    skipped=$((skipped + 1))
    say "compute-sanitizer was not found: skipped"
    return
  fi
  jobs_at_once=${RUN_ALL_JOBS:-8}
  # Errors of the API are what many tests provoke on purpose; errors of kernels are not.
  flags="--error-exitcode 99 --report-api-errors no --print-limit 20"
  for tool in memcheck racecheck synccheck initcheck; do
    while IFS=$'\t' read -r name tags command; do
      case $tags in *exclusive* | *no_compute_sanitizer*) continue ;; esac
      head -c 2 "$name" | grep -q '#!' && continue
      names+=("$tool/$name")
      LAB_SANITIZER=$tool start_job "$tool/$name" 240 "$sanitizer --tool $tool $flags $command"
    done <"$here/tests.txt"
    # The lessons as programs, small: under these tools a kernel takes a hundred times as long.
    while read -r name; do
      command=$(with_options "$name" "" "--rows 300 --cols 301 --repeat 2 --warmup 1")
      names+=("$tool/$name")
      LAB_SANITIZER=$tool start_job "$tool/$name" 240 "$sanitizer --tool $tool $flags $command"
    done <"$here/lessons.txt"
  done
  wait
  for name in "${names[@]}"; do
    # One case a test and tool: what it found, not the test's own cases again.
    rm -f "$work/$name/test.xml"
    report "$name" "$out/sanitizer.log"
  done
}

say "commit $(cat "$here/commit.txt"), $(date -u '+%Y-%m-%d %H:%M UTC')"
say "$(nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader 2>&1 | head -4)"
rm -f "$out"/*.log "$out/tests.xml" "$out/lessons.json" "$out/bench.json"
for stage; do
  say ""
  say "== $stage"
  "run_$stage"
done
say ""
say "took $SECONDS s"
say "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
