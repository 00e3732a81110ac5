#!/usr/bin/env bash
# The kernel that the soak of the Linux driver boots: the source of Debian's 6.1, configured by driver/tests/soak.config, and
# soak-kasan.config to look for mistakes (KASAN, lockdep, kmemleak, the checks of the DMA API) and to make some (fault
# injection), and built in the folder given. With `kcsan` as a second word it is soak-kcsan.config, for races. Source and the programs that its build needs beside a compiler come from Debian's packages, extracted,
# not installed. Done once: again only when the package or the configuration has changed. Where it cannot, it says why, and
# ends with 77 where that is for want of a tool or a package.
set -u

into=${1:?usage: tools/soak-kernel.sh FOLDER [kcsan]}
parts=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/driver/tests
finds=${2:-kasan}
give_up() { echo "soak-kernel: $*"; exit 1; }
skip() { echo "soak-kernel: $*"; exit 77; }
for tool in apt-get apt-cache dpkg-deb make gcc ld bc perl xz; do
  command -v "$tool" >/dev/null 2>&1 || skip "no $tool here: no kernel to soak the driver with"
done
package=linux-source-6.1
version=$(apt-cache policy "$package" 2>/dev/null | awk '/Candidate:/ { print $2 }')
[ -n "$version" ] && [ "$version" != "(none)" ] || skip "no $package in the package lists (apt-get update?)"
[ -f "$parts/soak-$finds.config" ] || give_up "no $parts/soak-$finds.config"
wanted="$version $(cat "$parts/soak.config" "$parts/soak-$finds.config" | sha256sum | cut -c 1-16)"
mkdir -p "$into" && into=$(cd "$into" && pwd) || exit 1
[ "$(cat "$into/kernel" 2>/dev/null)" = "$wanted" ] && { echo "soak-kernel: $version is there"; exit 0; }
rm -f "$into/kernel"

# Packages, extracted: get FOLDER PACKAGE...
get() {
  local to=$1 debs
  shift
  debs=$(mktemp -d "$into/debs.XXXXXX") && mkdir -p "$to" || return 1
  (cd "$debs" && apt-get download -qq "$@" >/dev/null 2>&1) || { rm -rf "$debs"; skip "could not be downloaded: $*"; }
  for deb in "$debs"/*.deb; do dpkg-deb -x "$deb" "$to" || give_up "$deb could not be extracted"; done
  rm -rf "$debs"
}

if [ "$(cat "$into/source.version" 2>/dev/null)" != "$version" ]; then
  rm -rf "$into/source" "$into/package" && get "$into/package" "$package" && mkdir -p "$into/source"
  tar -C "$into/source" --strip-components=1 -xJf "$into/package/usr/src/$package.tar.xz" ||
    give_up "the source could not be extracted"
  rm -rf "$into/package"
  echo "$version" >"$into/source.version"
fi

# Flex, bison and libelf, with what they run and load, where the machine lacks one of them.
tools="$into/tools"
if ! { command -v flex && command -v bison && [ -e /usr/include/gelf.h ]; } >/dev/null 2>&1; then
  [ -e "$tools/usr/include/gelf.h" ] || get "$tools" flex bison m4 libsigsegv2 libelf-dev libelf1
  libraries="$tools/usr/lib/x86_64-linux-gnu"
  export PATH="$tools/usr/bin:$PATH" M4="$tools/usr/bin/m4" BISON_PKGDATADIR="$tools/usr/share/bison"
  export CPATH="$tools/usr/include" LIBRARY_PATH="$libraries"
  export LD_LIBRARY_PATH="$libraries${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi

build() { nice make -s -C "$into/source" O="$into/build" ARCH=x86_64 "$@"; }
mkdir -p "$into/build"
config="$into/config"
cat "$parts/soak.config" "$parts/soak-$finds.config" >"$config"
KCONFIG_ALLCONFIG="$config" build allnoconfig >"$into/log" 2>&1 || give_up "no configuration: $into/log"
lost=$(grep -E '^CONFIG_' "$config" | grep -vxFf "$into/build/.config")
[ -z "$lost" ] || give_up "the kernel does not take all of $config:"$'\n'"$lost"
echo "soak-kernel: building $version in $into/build, which takes a while (its log: $into/log)"
build -j"$(getconf _NPROCESSORS_ONLN)" bzImage modules >>"$into/log" 2>&1 || give_up "it does not build: $into/log"
cp "$into/build/arch/x86/boot/bzImage" "$into/vmlinuz" && echo "$wanted" >"$into/kernel" && echo "soak-kernel: $into/vmlinuz"
