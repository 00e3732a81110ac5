#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# Verilates the engine at one width with a C++ host: build.sh WIDTH [main [STRADDLE]]. `main` measures
# ls_core, `ring` the same with tags enough for 1 us, `block` ls_top_usp at the block's ports, `soak` is
# the random traffic of soak/, `trace` the same with traces. `nvme` measures ls_nvme_host, and takes Cmds,
# the bytes of both buffers and CmdBytes in place of STRADDLE; `nvme_stripe` measures ls_nvme_stripe, and takes
# Drives and ChunkBytes, and `shared` for one root port and one switch; `nvme_faults` is random faults of ls_nvme_host,
# or of a stripe of so many drives, where `shared` is as before, or (`1 beside`) of a host with retries, Abort and
# restarts; `record` is ls_nvme_recorder with a queue in external memory, and takes ExtLog2. RTL is a folder in the place of rtl/. Prints the program's path.
cd "$(dirname "$0")/.." || exit 2
w=$1; main=${2:-main}; straddle=${3:-0}; dir=build/bench/$main$w rtl=${RTL:-rtl}
[ "$RTL" ] && dir=${dir}_other
buf=16384; req=512; [ "$w" = 512 ] && { buf=32768; req=1024; }
top=ls_core; more=; source=bench/$main; opt="--assert" copt=-O1
case $w in 64) fetches=4 tags=32;; 128) fetches=4 tags=64;; 256) fetches=8 tags=128;; *) fetches=16 tags=224;; esac
[ "$main" = ring ] && { source=bench/main; more="-GTags=$tags"; }
[ "$main" = block ] && { top=ls_top_usp; more="-GStraddle=$straddle"; dir=${dir}_$straddle; }
batch=16 sv="tb/ls_stream_check.sv tb/ls_traffic_check.sv tb/ls_core_binds.sv" own=; [ "$w" = 64 ] || batch=32
if [ "$main" = soak ] || [ "$main" = trace ]; then
  # Small queues, so that they are full at times; few tags, so that they are used again soon.
  top=ls_soak; source=soak/soak; buf=8192; req=512; [ "$w" = 512 ] && { buf=16384; req=1024; }
  more="-GBatch=$batch -GTags=$((w / 4))" sv="$sv soak/ls_soak.sv" own="-DVL_USER_STOP -DVL_USER_FATAL"
  [ "$main" = trace ] && more="$more --trace-fst --trace-structs"
fi
more="-GBufBytes=$buf -GMaxRequest=$req -GFetches=$fetches $more"
if [ "$main" = nvme ]; then
  top=ls_nvme_host; straddle=0; opt= copt=-O3; sv=
  more= own="-DCMDS=${3:-32}"; dir=${dir}_${3:-default}
  [ "$3" ] && { more="-GCmds=$3 -GWrBytes=$4 -GRdBytes=$4 -GCmdBytes=$5"; dir=${dir}_$4_$5; }
fi
if [ "$main" = nvme_faults ]; then
  # Ticks of 16 cycles, so that timeouts take no time; long enough that what works never meets one.
  top=ls_nvme_host; straddle=0; copt=-O1 sv="tb/ls_stream_check.sv tb/ls_nvme_binds.sv"
  drives=${3:-1}
  more="-GTickCycles=16 -GCmdTicks=2000 -GReqTicks=60" own="-DVL_USER_STOP -DVL_USER_FATAL -DDRIVES=$drives"
  if [ "$4" = beside ]; then
    dir=${dir}_beside own="$own -DRETRIES=2 -DRESTARTS=2"
    more="$more -GRetries=2 -GAbortTicks=600 -GFormatTicks=2000 -GRestarts=2 -GRestartTicks=20"
  fi
  if [ "$drives" != 1 ]; then
    top=nvme_stripe sv="$sv tb/ls_nvme_stripe_binds.sv bench/nvme_stripe.sv"; dir=${dir}_$drives
    more="$more -GDrives=$drives -GChunkBytes=4096"
    [ "$4" = shared ] && { more="$more -GShare=1" own="$own -DSHARED"; dir=${dir}_shared; }
  fi
fi
if [ "$main" = record ]; then
  top=ls_nvme_recorder; straddle=0; opt= copt=-O3; sv=
  ext=${3:-20}; more="-GExtLog2=$ext" own="-DEXT_LOG2=$ext"; dir=${dir}_$ext
fi
if [ "$main" = nvme_stripe ]; then
  top=nvme_stripe; straddle=0; opt= copt=-O3; sv=bench/nvme_stripe.sv
  drives=${3:-2}; chunk=${4:-4096}; dir=${dir}_${drives}_$chunk
  more="-GDrives=$drives -GChunkBytes=$chunk" own="-DDRIVES=$drives -DCHUNK=$chunk"
  [ "$5" = shared ] && { more="$more -GShare=1" own="$own -DSHARED"; dir=${dir}_shared; }
fi
mkdir -p "$dir"
verilator --cc --exe --build --output-split 0 -sv $opt -O3 --quiet \
  -Wno-fatal --prefix Vtop --Mdir "$dir" -GWidth="$w" $more \
  -CFLAGS "$copt -std=c++17 -DWIDTH=$w -DSTRADDLE=$straddle -DFETCHES=$fetches -DBATCH=$batch -DMAX_PAYLOAD=512 -DMAX_REQUEST=$req $own -I$PWD/bench" --top "$top" \
  $(ls "$rtl"/ls_*_pkg.sv) "$rtl/ls_pkg.sv" $(ls "$rtl"/ls_*.sv | grep -v _pkg.sv) $sv \
  "$PWD/$source.cpp" > "$dir/build.log" 2>&1 || { cat "$dir/build.log" >&2; exit 1; }
echo "$dir/Vtop"
