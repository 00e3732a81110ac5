#!/usr/bin/env bash
# What the Linux driver is built against, in the folder given: headers of kernels, `sparse` and `checkpatch.pl`, from packages,
# extracted (not installed). Debian's two kernels that the guests boot (6.1, 6.12), the first as of 32 bits, too (686), and the newest
# of its backports (newest), which comes from its present stable release. Where LANESCOPE_UBUNTU is the address of a mirror of Ubuntu's archive, Ubuntu's 5.15, 6.8
# and 6.17, too. Kernels that were built with a newer compiler and C library than this machine's get those of Debian's stable
# release (toolchain). Where it cannot, it says why; what needs them skips itself.
set -u

into=${1:?usage: tools/headers.sh FOLDER}
for tool in apt-get apt-cache dpkg-deb; do
  command -v "$tool" >/dev/null 2>&1 || { echo "headers: no $tool here: the driver will not be built"; exit 0; }
done
mkdir -p "$into" && into=$(cd "$into" && pwd) || exit 0
scratch=$(mktemp -d) || exit 0
trap 'rm -rf "$scratch"' EXIT

# Debian's stable release, whose backports have its newest kernel. (The names that follow the release are older than it on some
# mirrors.)
stable=trixie

# How apt is called: with lists of other releases, after releases().
other=()

# Packages into a folder: get FOLDER PACKAGE...
get() {
  local to=$1
  shift
  rm -rf "$scratch/debs" && mkdir -p "$scratch/debs" "$to" &&
    (cd "$scratch/debs" && apt-get ${other[@]+"${other[@]}"} download -qq "$@" >/dev/null 2>&1) ||
    { echo "headers: could not be downloaded: $*"; return 1; }
  local package
  for package in "$scratch"/debs/*.deb; do dpkg-deb -x "$package" "$to" || return 1; done
}

depends() {
  apt-cache ${other[@]+"${other[@]}"} depends "$1" 2>/dev/null | awk -v what="$2" '$1 ~ /Depends:/ && $2 ~ what { print $2; exit }'
}

newest() {
  apt-cache ${other[@]+"${other[@]}"} search --names-only "$1" 2>/dev/null | awk '{ print $1 }' | sort -V | tail -n 1
}

# Lists of other releases than this machine's, at most a week old: releases NAME SOURCE...
releases() {
  local name=$1 folder="$into/lists/$1"
  shift
  mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
  printf '%s\n' "$@" >"$folder/new"
  other=(-o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists"
    -o "Dir::Cache=$folder/cache" -o APT::Sandbox::User=root -o Acquire::Languages=none -o Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false)
  cmp -s "$folder/new" "$folder/sources.list" && [ -n "$(find "$folder/done" -mtime -7 2>/dev/null)" ] && return 0
  mv "$folder/new" "$folder/sources.list"
  timeout 120 apt-get "${other[@]}" update -qq >"$folder/log" 2>&1 && ! grep -q '^[EW]:' "$folder/log" && touch "$folder/done" ||
    { echo "headers: no lists of $name releases: $(grep -m 1 '^[EW]:' "$folder/log")"; return 1; }
}

# Headers of one kernel, with the links and paths of an installed package made to point into the folder.
headers() {
  local name=$1 to="$into/$2" package packages
  [ -f "$to/kernel" ] && [ "$(cat "$to/kernel")" = "$name" ] && [ -e "$to/build" ] && return 0
  packages=$(apt-cache ${other[@]+"${other[@]}"} depends "$name" 2>/dev/null |
    awk '$1 ~ /Depends:/ && $2 ~ /^linux-(headers|kbuild|hwe-[0-9.]+-headers)-/ { print $2 }')
  [ -n "$packages" ] || { echo "headers: $name is not in the package lists (apt-get update?)"; return 0; }
  rm -rf "$to"
  # shellcheck disable=SC2086
  get "$to" "$name" $packages || return 0
  for package in "$to/usr/src/$name/Makefile" "$to/usr/src/$name/.kernelvariables"; do
    [ -f "$package" ] && sed -i "s#/usr/src/linux-headers#$to/usr/src/linux-headers#g" "$package"
  done
  ln -sfn "usr/src/$name" "$to/build"
  suits "$to" || newer "$to" || { rm -rf "$to"; return 0; }
  echo "$name" >"$to/kernel"
  echo "headers: $name in $to"
}

# Headers of 32 bits beside those of 6.1, whose programs do for both.
of_32_bits() {
  local to="$into/686" mirror name common programs="$into/6.1/usr/lib/linux-kbuild-6.1"
  [ -d "$programs" ] || { echo "headers: no 6.1, and so none of 32 bits"; return 0; }
  mirror=$(mirror_of_debian) || { echo "headers: apt has no mirror of Debian here: no kernel of 32 bits"; return 0; }
  releases i386 "deb [arch=i386 signed-by=$debian_key] $mirror $(. /etc/os-release && echo "$VERSION_CODENAME") main" || return 0
  other+=(-o APT::Architecture=i386 -o APT::Architectures=i386)
  name=$(depends linux-headers-686-pae '^linux-headers-6.1')
  common=$(depends "${name:-none}" '-common$')
  [ -f "$to/kernel" ] && [ "$(cat "$to/kernel")" = "$name" ] && [ -e "$to/build" ] && return 0
  [ -n "$common" ] || { echo "headers: no 6.1 of 32 bits in the package lists"; return 0; }
  rm -rf "$to"
  get "$to" "$name" "$common" || return 0
  mkdir -p "$to/usr/lib" && ln -sfn "$programs" "$to/usr/lib/linux-kbuild-6.1"
  sed -i "s#/usr/src/linux-headers#$to/usr/src/linux-headers#g" "$to/usr/src/$name/Makefile"
  ln -sfn "usr/src/$name" "$to/build"
  echo "$name" >"$to/kernel"
  echo "headers: $name in $to"
}

# Whether this machine runs the programs of a kernel's headers, and has a compiler as new as the kernel's.
suits() {
  local fixdep version
  fixdep=$(find "$1/" -path '*scripts/basic/fixdep' -type f | head -n 1)
  ! "$fixdep" 2>&1 </dev/null | grep -q GLIBC_ || return 1
  version=$(sed -n 's/^CONFIG_GCC_VERSION=\([0-9]*\)[0-9]\{4\}$/\1/p' "$1/build/.config")
  [ "${version:-0}" -le "$(gcc -dumpversion | cut -d . -f 1)" ]
}

# Programs of a newer release start by its loader: wrap PROGRAM...
wrap() {
  local program libraries="$into/toolchain/usr/lib/x86_64-linux-gnu"
  for program in "$@"; do
    [ "$(head -c 4 "$program" | tail -c 3)" = ELF ] || continue
    mv "$program" "$program.elf"
    cat >"$program" <<SCRIPT
#!/bin/sh
exec $libraries/ld-linux-x86-64.so.2 --library-path $libraries --argv0 "\$0" $program.elf "\$@"
SCRIPT
    chmod +x "$program"
  done
}

# The compiler and the C library of Debian's stable release.
toolchain() {
  local to="$into/toolchain" before=("${other[@]}") gcc
  [ -x "$to/gcc" ] && return 0
  use_stable || return 1
  gcc=$(newest '^gcc-[0-9]+-x86-64-linux-gnu$')
  gcc=${gcc%%-x86*} && gcc=${gcc#gcc-}
  rm -rf "$to"
  get "$to" libc6 "gcc-$gcc-x86-64-linux-gnu" "cpp-$gcc-x86-64-linux-gnu" "libgcc-$gcc-dev" libgcc-s1 libstdc++6 libisl23 libmpc3 \
    libmpfr6 libgmp10 libzstd1 zlib1g libelf1t64 libdw1t64 liblzma5 libbz2-1.0 || return 1
  wrap "$to/usr/libexec/gcc/x86_64-linux-gnu/$gcc/"{cc1,collect2} "$to/usr/bin/x86_64-linux-gnu-gcc-$gcc"
  ln -sfn "usr/bin/x86_64-linux-gnu-gcc-$gcc" "$to/gcc"
  other=("${before[@]}")
}

newer() {
  toolchain || return 1
  local program
  find "$1/" -type f -perm -1 \( -path '*/scripts/*' -o -path '*/tools/*' \) >"$scratch/programs"
  while read -r program; do wrap "$program"; done <"$scratch/programs"
  readlink -f "$into/toolchain/gcc" >"$1/cc"
}

debian_key=/usr/share/keyrings/debian-archive-keyring.gpg
# The mirror of Debian that this machine has.
mirror_of_debian() {
  local mirror
  mirror=$(apt-get indextargets --format '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)' 2>/dev/null |
    awk '$1 == "Debian" && $2 == "main" && $3 !~ /security/ { print $4; exit }')
  [ -n "$mirror" ] && [ -f "$debian_key" ] && echo "$mirror"
}

# Debian's stable release, and its backports.
use_stable() {
  local mirror
  mirror=$(mirror_of_debian) || { echo "headers: apt has no mirror of Debian here: no newer kernel"; return 1; }
  releases stable "deb [signed-by=$debian_key] $mirror $stable main" "deb [signed-by=$debian_key] $mirror $stable-backports main"
}

ubuntu() {
  local release sources=() key="$into/ubuntu/usr/share/keyrings/ubuntu-archive-keyring.gpg" version name
  [ -f "$key" ] || { use_stable && get "$into/ubuntu" ubuntu-keyring; } || return 0
  for release in jammy jammy-updates noble noble-updates; do
    sources+=("deb [arch=amd64 signed-by=$key] $LANESCOPE_UBUNTU $release main")
  done
  for version in 5.15 6.8 6.17; do
    releases ubuntu "${sources[@]}" || return 0
    name=$(newest "^linux-headers-$version\..*-generic$")
    [ -z "$name" ] || headers "$name" "$version"
  done
}

old=$(depends linux-headers-amd64 '^linux-headers-6.1')
[ -n "$old" ] && headers "$old" 6.1
new=$(newest '^linux-headers-6\.12\..*[+]deb12-amd64$')
[ -n "$new" ] && headers "$new" 6.12

[ -x "$into/sparse/usr/bin/sparse" ] || get "$into/sparse" sparse || true
if [ ! -f "$into/checkpatch/checkpatch.pl" ]; then
  source=$(apt-cache depends linux-source 2>/dev/null | awk '/Depends: linux-source-/ { print $2; exit }')
  if [ -n "$source" ] && get "$scratch/source" "$source"; then
    mkdir -p "$into/checkpatch"
    archive=$(find "$scratch/source" -name 'linux-source-*.tar.xz' | head -n 1)
    top=$(basename "$archive" .tar.xz)
    tar -C "$into/checkpatch" --strip-components=2 -xJf "$archive" \
      "$top/scripts/checkpatch.pl" "$top/scripts/spelling.txt" "$top/scripts/const_structs.checkpatch" ||
      echo "headers: checkpatch.pl could not be extracted"
  fi
fi

if [ "$(dpkg --print-architecture)" = amd64 ]; then
  if use_stable; then
    name=$(newest '^linux-headers-[0-9.]+[+]deb[0-9]+-amd64$')
    [ -z "$name" ] || headers "$name" newest
  fi
  [ -z "${LANESCOPE_UBUNTU:-}" ] || ubuntu
  of_32_bits
fi
exit 0
