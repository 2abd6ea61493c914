#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Formats our C, C++ and CUDA in place, by .clang-format.
#
#   .ci/format.sh            all files in git but those of tests/format/left_out.txt
#   .ci/format.sh --check    changes nothing; names what is not formatted, and ends with 1
#
# Ends with 3 where there is no clang-format.
set -eu
cd "$(dirname "$(realpath "$0")")/.."

case $*: in
: | --check:) ;;
*)
  echo "format.sh: takes --check or nothing; got: $*" >&2
  exit 2
  ;;
esac
if ! command -v clang-format >/dev/null 2>&1; then
  echo "format.sh: no clang-format here; on Debian: apt-get install clang-format" >&2
  exit 3
fi

sources() {
  git ls-files -- '*.c' '*.h' '*.cc' '*.cpp' '*.cu' '*.cuh' '*.hpp' '*.inc' |
    python3 -c '
import sys
left_out = [l.strip() for l in open("tests/format/left_out.txt") if l.strip() and l[0] != "#"]
for path in sys.stdin.read().splitlines():
    if not any(path == l or l.endswith("/") and path.startswith(l) for l in left_out):
        print(path)'
}

if [ $# -eq 0 ]; then
  # Its own result is not always stable at once, in lists made by macros.
  for _ in 1 2 3; do sources | xargs clang-format -i; done
  exit 0
fi
wrong=$(sources | xargs clang-format --dry-run -Werror 2>&1 | grep ' error: ' | cut -d: -f1 | sort | uniq -c)
[ -n "$wrong" ] || exit 0
printf '%s\nformat.sh: these files, with the number of places, are not formatted; .ci/format.sh does it\n' "$wrong" >&2
exit 1
