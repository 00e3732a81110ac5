#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# Verilates ls_core at one width with a C++ host: build.sh WIDTH [main]. Prints the program's path.
cd "$(dirname "$0")/.." || exit 2
w=$1; main=${2:-main}; dir=build/bench/$main$w
buf=16384; req=512; [ "$w" = 512 ] && { buf=32768; req=1024; }
mkdir -p "$dir"
MAKEFLAGS="CFG_CXXFLAGS_PCH_I=-include" verilator --cc --exe --build -j 2 -sv --assert -O3 --quiet \
  -Wno-fatal --prefix Vtop --Mdir "$dir" -GWidth="$w" -GBufBytes="$buf" -GMaxRequest="$req" \
  -CFLAGS "-O2 -std=c++17 -DWIDTH=$w -I$PWD/bench" --top ls_core \
  rtl/ls_pkg.sv $(ls rtl/ls_*.sv | grep -v ls_pkg.sv) tb/ls_stream_check.sv tb/ls_core_binds.sv \
  "$PWD/bench/$main.cpp" > "$dir/build.log" 2>&1 || { cat "$dir/build.log" >&2; exit 1; }
echo "$dir/Vtop"
