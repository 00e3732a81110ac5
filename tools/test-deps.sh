#!/usr/bin/env bash
# The tools that tests want beside the language toolchains, from PyPI and Debian's packages: tools/test-deps.sh installs
# them, with sudo where it must; tools/test-deps.sh unasked (how `make test` calls it) installs Debian's only where it runs
# as root with apt and LANESCOPE_APT is not `no`, else it says the one line to type. A second word names a part: packages, or
# the kernels of the guests and their headers, which take long to come. Tests whose tool is absent skip themselves, so nothing
# here is an error: where it cannot install, it says what to install by hand.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
target=${CARGO_TARGET_DIR:-$PWD/target}
unasked=""
[ "${1:-}" != unasked ] || unasked=1
part=${2:-all}

# Debian's packages that are not there, as package:program.
missing=""
for entry in pciutils:lspci tshark:tshark chromium:chromium qemu-system-x86:qemu-system-x86_64 zstd:zstd xz-utils:xz; do
  command -v "${entry#*:}" >/dev/null 2>&1 || missing="$missing ${entry%%:*}"
done
# What waves are compressed with: without these headers a card's signals cannot be written, and their test skips itself.
[ -e /usr/include/lz4.h ] && [ -e /usr/include/zlib.h ] || missing="$missing liblz4-dev zlib1g-dev"
# Python's own modules that Debian packs apart: for virtual environments, and for the Tcl of the boards' scripts.
python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
python3 -c 'import tkinter' >/dev/null 2>&1 || missing="$missing python3-tk"

# Said at the start of `make test` and again at its end.
by_hand() { echo "test-deps: to have all tests run, type: $1"; }

debian() {
  [ -n "$missing" ] || return 0
  command -v apt-get >/dev/null 2>&1 || { echo "test-deps: to have all tests run, install (names are Debian's):$missing"; return; }
  local sudo=""
  if [ "$(id -u)" -ne 0 ]; then
    [ -z "$unasked" ] || { by_hand "make test-deps    # with sudo, from Debian:$missing"; return; }
    command -v sudo >/dev/null 2>&1 || { by_hand "apt-get install$missing    # as root"; return; }
    sudo=sudo
  elif [ -n "$unasked" ] && [ "${LANESCOPE_APT:-}" = no ]; then
    by_hand "make test-deps    # LANESCOPE_APT=no keeps make test from it; from Debian:$missing"
    return
  fi
  echo "test-deps: installs from Debian:$missing"
  export DEBIAN_FRONTEND=noninteractive
  $sudo apt-get update -qq || echo "test-deps: apt-get update failed; going on with the lists that are there"
  # All at once; where one cannot be had, the others one by one.
  # shellcheck disable=SC2086
  $sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 && return
  local package
  for package in $missing; do
    $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null || by_hand "apt-get install $package    # as root; it did not work here"
  done
}

# Package lists, for what is extracted and not installed: a machine whose packages are all there may have none.
lists() {
  command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ] && [ "${LANESCOPE_APT:-}" != no ] || return 0
  apt-cache show linux-image-amd64 >/dev/null 2>&1 || apt-get update -qq
}

# Python packages (Perfetto's message definitions, a judge of JSON Schemas, another 8b/10b), in a folder of their own beside what cargo
# builds.
pypi() {
  local python=target/test-python
  "$python/bin/python" -c 'import perfetto, jsonschema, yaml, litex' >/dev/null 2>&1 && return
  { python3 -m venv "$python" && "$python/bin/pip" install --quiet --disable-pip-version-check 'perfetto>=0.50,<1' 'jsonschema>=4,<5' 'pyyaml>=6,<7' 'litex>=2024.12'; } ||
    by_hand "make test-deps    # from PyPI: perfetto, jsonschema, pyyaml and litex could not be installed"
}

if [ "$part" != kernels ]; then
  debian
  pypi
fi
[ "$part" != packages ] || exit 0
lists
# The kernel that tests of a QEMU guest boot, and headers for the Linux driver: extracted into target/, not installed.
tools/guest.sh "$target/guest"
tools/headers.sh "$target/headers"
[ -n "$missing" ] || echo "test-deps: all there"
