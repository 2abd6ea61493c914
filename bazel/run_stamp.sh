#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Bazel's --workspace_status_command: a key that differs in each run, for //bazel:never_cached.
echo "STABLE_RUN_STAMP $(date +%s%N)-$$"
