#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs what the lab kit is built and run with: Bazel, a C++ compiler and a few libraries.
#
#   sh setup.sh          as root, or as a user who may use sudo
#
# Knows Debian 12 and later and Ubuntu 22.04 and later (their own packages, through apt), and
# names what to install by hand on other systems. Changes nothing else, needs no CUDA, and
# can be run again at any time: what is there is left alone.
set -eu

PACKAGES="bazel-bootstrap g++ git gnuplot-nox googletest libboost-context-dev libcjson-dev libdw-dev python3"

say() { printf 'setup: %s\n' "$*"; }

fail() {
  printf 'setup: %s\n' "$*" >&2
  exit 1
}

by_hand() {
  cat >&2 <<'TEXT'
setup: this system is not one that setup.sh knows (it needs apt, as on Debian 12 or Ubuntu 22.04).
Install by hand:
  - bazelisk, as the command `bazel`:  https://github.com/bazelbuild/bazelisk
  - a C11 and C++17 compiler, for example gcc 9 or clang 10, or later
  - for the curves that lessons draw: gnuplot
Bazelisk fetches Bazel and the libraries by itself. Then: bazel run //lessons:03_elementwise
A CUDA toolkit is needed only to build for a GPU.
TEXT
  exit 1
}

is_installed() {
  case $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) in
  installed) return 0 ;;
  esac
  # A Bazel or Bazelisk of one's own takes the place of Debian's.
  [ "$1" = bazel-bootstrap ] && command -v bazel >/dev/null 2>&1
}

# Runs a command as root.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null 2>&1; then
    sudo "$@"
  else
    fail "this needs root: run it as root, or install sudo. The command was: $*"
  fi
}

apt_install() {
  # Nothing may ask: neither the packages' own questions, nor apt's.
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@" </dev/null
}

[ $# -eq 0 ] || fail "takes no arguments; got: $*"
[ "$(uname -s)" = Linux ] || by_hand
command -v apt-get >/dev/null 2>&1 && command -v dpkg-query >/dev/null 2>&1 || by_hand

# Bazel 4 to 9 do not build in such a folder, and do not say why.
here=$(cd "$(dirname "$0")" && pwd -P)
case $here in
*[!A-Za-z0-9/._+@%~=,-]*)
  fail "the kit lies in '$here': Bazel does not build in a folder whose name has a space,
setup: an umlaut or another such character in it. Move it to a folder of plain letters, for example
setup: with  mv '$here' ~/cuda-lab" ;;
esac

missing=
for package in $PACKAGES; do
  is_installed "$package" || missing="$missing $package"
done

if [ -z "$missing" ]; then
  say "all is there already:" $PACKAGES
else
  say "installing with apt:$missing"
  # The lists of packages may be old or not there at all: refresh them, and try with the
  # old ones where that fails (no network, but the packages may lie in a cache).
  as_root apt-get update </dev/null || say "apt-get update failed; trying with the lists that are here"
  apt_install $missing || fail "apt could not install:$missing
setup: if a package is unknown here (Ubuntu before 22.04, Debian before 12), install bazelisk as \`bazel\`
setup: (https://github.com/bazelbuild/bazelisk), then run this again"
fi

command -v bazel >/dev/null 2>&1 || fail "there is still no command 'bazel': is /usr/bin on your PATH?"
say "done. Now: bazel run //lessons:03_elementwise"
