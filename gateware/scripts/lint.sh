#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# Verilator -Wall over every module that can be a top, at every width. Prints every failure.
cd "$(dirname "$0")/.." || exit 2
if [ "$1" = one ]; then # of them: top, then parameters; `SameProgram` first: the bring-up's program is that of another, and not assembled again
  shift
  code=rtl/ls_nvme_code.sv; [ "$1" = SameProgram ] && { shift; code=build/lint/ls_nvme_code.sv; }
  packages="$(ls rtl/ls_*_pkg.sv rtl/ls_pkg.sv)" other=
  for room in rtl/*/; do # a room is read for its own tops alone, that of the data link layer for those above it
    [ -f "$room$1.sv" ] || { [ $room = rtl/link/ ] && [ -f "rtl/tl/$1.sv" ]; } && packages="$packages $(ls "$room"ls_*_pkg.sv)" || other="$other -e $room"
  done
  if out=$(verilator --quiet --lint-only -Wall -sv --timing $packages $code $(ls rtl/ls_*.sv rtl/*/ls_*.sv examples/*/*.sv 2>/dev/null | grep -v -e _pkg.sv -e /ls_nvme_code.sv $other) --top "$@" 2>&1); then
    echo "lint: ok $*"
  else
    printf 'lint: FAIL %s\n%s\n' "$*" "$out"
  fi
  exit 0
fi
check() { echo "$*"; }
same() { echo "SameProgram $*"; }
mkdir -p build/lint
sed "s/localparam program_t Program = assemble();/localparam program_t Program = program_t'(0);/" rtl/ls_nvme_code.sv > build/lint/ls_nvme_code.sv
! cmp -s rtl/ls_nvme_code.sv build/lint/ls_nvme_code.sv || { echo "lint: rtl/ls_nvme_code.sv has no \`Program = assemble()\`"; exit 1; }
all() { # -Wno-UNUSEDPARAM: the constants of the package that another top uses
  for w in 64 128 256 512; do
    check ls_core -GWidth=$w
    check ls_core -GWidth=$w -GH2c=8 -GC2h=8 -GVectors=16
    check ls_top_usp -GWidth=$w
    check ls_top_usp -GWidth=$w -GTwoClocks=1
    again=same; [ $w = 64 ] && again=check
    $again ls_nvme_usp -GWidth=$w -Wno-UNUSEDPARAM
    for n in 1 32 256; do $again ls_nvme_host -GWidth=$w -GCmds=$n -Wno-UNUSEDPARAM; done
  done
  check ls_nvme_host -GSwitch=4 "-GBarBase=64\\'h2000000000" -Wno-UNUSEDPARAM
  check ls_nvme_usp -GWidth=128 -GSwitch=1 -GShutTicks=10000 -Wno-UNUSEDPARAM
  check ls_nvme_7s -GSwitch=2 -GShutTicks=10000 -Wno-UNUSEDPARAM
  check ls_nvme_usp -GWidth=256 -GUltra=1 -GWriteCache=2 -GPowerState=31 -Wno-UNUSEDPARAM
  check ls_nvme_recorder -GWidth=64 -Wno-UNUSEDPARAM
  same ls_nvme_recorder -GWidth=512 -GFifoBytes=0 -Wno-UNUSEDPARAM
  same ls_nvme_recorder -GWidth=256 -GExtLog2=30 -Wno-UNUSEDPARAM
  for w in 64 512; do check ls_axi_fifo -GWidth=$w -GSizeLog2=30 -Wno-UNUSEDPARAM; done
  check ls_nvme_stripe -GWidth=64 -GDrives=8 -Wno-UNUSEDPARAM -Wno-VARHIDDEN
  same ls_nvme_stripe -GWidth=512 -GDrives=2 -Wno-UNUSEDPARAM -Wno-VARHIDDEN
  check ls_nvme_stripe -GShare=1 -GDrives=4 -GShutTicks=10000 -Wno-UNUSEDPARAM -Wno-VARHIDDEN
  for n in 2 8; do check ls_nvme_share -GDrives=$n -GWidth=256 -Wno-UNUSEDPARAM; done
  check ls_nvme_host -GShare=3 -GPlace=1 -Wno-UNUSEDPARAM
  check ls_nvme_host -GShare=8 -GPlace=7 "-GBarBase=64\\'h2000000000" -Wno-UNUSEDPARAM
  check ls_core -GH2c=3 -GC2h=1
  check ls_core -GMsi=1
  for w in 64 512; do check ls_core -GWidth=$w -GMm=1; done
  check ls_core -GMm=1 -GH2c=2
  for w in 64 512; do check ls_top_usp -GWidth=$w -GMsi=1; done
  check ls_top_usp -GWidth=512 -GStraddle=1 -GMsi=1
  check ls_top_7s -GMsi=1 -GVectors=16
  check ls_core -GH2c=1 -GC2h=2 -GTags=200
  for w in 256 512; do check ls_top_usp -GWidth=$w -GStraddle=1; done
  check ls_nvme_7s -GWidth=64 -Wno-UNUSEDPARAM; same ls_nvme_7s -GWidth=128 -Wno-UNUSEDPARAM
  for w in 64 128; do check ls_top_7s -GWidth=$w; check ls_top_7s -GWidth=$w -GTwoClocks=1; done
  for x in source sink loopback crossbar pingpong; do check ex_${x}_top; check ex_${x}_top -GWidth=512; done
  for x in "" "-GDown=1 -GElastic=0"; do check ls_mac $x -Wno-UNUSEDPARAM; done
  check ls_link -Wno-UNUSEDPARAM; check ls_link -GReplayBytes=32768 -GTlps=256 -Wno-UNUSEDPARAM
  for x in "" "-GBar0Bits=12 -GBar2Bits=40 -GVectors=2048" "-GBar0Bits=30 -GBar2Bits=12 -GPostedBytes=16384 -GPostedHdr=127 -GNonPostedHdr=2 -GCplBytes=1024"; do check ls_tl $x -Wno-UNUSEDPARAM; done
  check ls_skid -Wno-UNUSEDPARAM
  check ls_usp_ext_tag -Wno-UNUSEDPARAM
}
# A line for each top when it ends: who watches takes silence for a hang.
all | xargs -P "$(getconf _NPROCESSORS_ONLN)" -L 1 scripts/lint.sh one | tee build/lint/said
wanted=$(all | wc -l); pass=$(grep -c "^lint: ok" build/lint/said); fail=$((wanted - pass))
echo "lint: $pass passed, $fail failed"
[ $fail = 0 ]
