#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bazel's --run_under for pack.sh: instead of the test, prints how it would be started.
printf 'PACK_COMMAND'
for word; do
  word=${word#"$PWD"/}
  printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
done
printf '\n'
