#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH SHL-2.1
# In front of the compiler (OBJCACHE of Verilator's makefile): what lies outside the build folder, so Verilator's and
# cocotb's own sources and the hosts in C++, is compiled once for all benches. Objects are kept in build/objects, or
# where OBJECTS says, under a hash of the options, the source, the headers beside it and those of the ports. With a
# kept one comes the list of what it depends on, as the compiler would write it: make builds it anew where a header is newer.
root=$(cd "$(dirname "$0")/.." && pwd) || exit 2
for last; do :; done
case $last in /*.cpp) ;; *) exec "$@" ;; esac
out= next=
for word; do [ "$next" ] && out=$word && next=; [ "$word" = -o ] && next=1; done
[ "$out" ] || exec "$@"
ports=; case $last in */verilated*.cpp) ;; *) ports=Vtop.h ;; esac
keep=${OBJECTS:-$root/build/objects}
key=$({ echo "$*" | sed "s|$root||g"; cat "$last" "$(dirname "$last")"/*.h "$root"/bench/*.h $ports; } | sha256sum | cut -c1-32)
if [ ! -f "$keep/$key.o" ]; then
  mkdir -p "$keep" && "$@" || exit 1
  cp "$out" "$keep/$key.$$" && mv "$keep/$key.$$" "$keep/$key.o" && exit 0
  exit 1
fi
cp "$keep/$key.o" "$out" || exit 1
[ "$ports" ] || exit 0
set -- "$last" "$(dirname "$last")"/*.h "$root"/bench/*.h
{ echo "$out: $* $ports"; printf '%s:\n' "$@"; } > "${out%.o}.d"
