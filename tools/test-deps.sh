#!/usr/bin/env bash
# The tools that tests want beside the language toolchains, from Debian's packages and PyPI. Tests whose tool is absent skip
# themselves, so nothing here is an error: where it cannot install, it says what to install by hand.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# package : program that shows it is there
wanted="pciutils:lspci tshark:tshark chromium:chromium qemu-system-x86:qemu-system-x86_64 zstd:zstd xz-utils:xz"

# Python packages (Perfetto's message definitions, a judge of JSON Schemas), in a folder of their own beside what cargo
# builds.
python=target/test-python
if ! "$python/bin/python" -c 'import perfetto, jsonschema, yaml' >/dev/null 2>&1; then
  { python3 -m venv "$python" && "$python/bin/pip" install --quiet 'perfetto>=0.50,<1' 'jsonschema>=4,<5' 'pyyaml>=6,<7'; } ||
    echo "test-deps: the Python packages perfetto, jsonschema and pyyaml could not be installed"
fi

missing=""
for entry in $wanted; do
  command -v "${entry#*:}" >/dev/null 2>&1 || missing="$missing ${entry%%:*}"
done
# What waves are compressed with: without these headers a card's signals cannot be written, and their test skips itself.
[ -e /usr/include/lz4.h ] && [ -e /usr/include/zlib.h ] || missing="$missing liblz4-dev zlib1g-dev"
# The kernel that tests of a QEMU guest boot, and headers for the Linux driver: extracted into target/, not installed.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
guest() {
  "$root/tools/guest.sh" "${CARGO_TARGET_DIR:-$root/target}/guest"
  "$root/tools/headers.sh" "${CARGO_TARGET_DIR:-$root/target}/headers"
}

[ -n "$missing" ] || { echo "test-deps: all there"; guest; exit 0; }

if ! command -v apt-get >/dev/null 2>&1; then
  echo "test-deps: no apt-get here; install by hand:$missing"
  exit 0
fi
sudo=""
if [ "$(id -u)" -ne 0 ]; then
  sudo="sudo"
  command -v sudo >/dev/null 2>&1 || { echo "test-deps: as root: apt-get install$missing"; exit 0; }
fi
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq || echo "test-deps: apt-get update failed; going on with the lists that are there"
for package in $missing; do
  $sudo apt-get install -y -qq --no-install-recommends "$package" >/dev/null || echo "test-deps: $package could not be installed"
done
guest
