#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# usage: prints_test.sh PROGRAM TEXT: the program ends well, and its output holds the text.
out=$("$1") || {
  echo "$1 ended with status $?" >&2
  exit 1
}
case $out in
*"$2"*) exit 0 ;;
esac
printf 'want: %s\ngot:  %s\n' "$2" "$out" >&2
exit 1
