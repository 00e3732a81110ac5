#!/usr/bin/env bash
# What the Linux driver is built against: headers of two kernels of Debian (the one that the guest boots, and the newest of
# its backports), and `sparse` and `checkpatch.pl`, from Debian's packages, extracted (not installed) into the folder given.
# Where it cannot, it says why; what needs them skips itself.
set -u

into=${1:?usage: tools/headers.sh FOLDER}
for tool in apt-get apt-cache dpkg-deb; do
  command -v "$tool" >/dev/null 2>&1 || { echo "headers: no $tool here: the driver will not be built"; exit 0; }
done
mkdir -p "$into" && into=$(cd "$into" && pwd) || exit 0
scratch=$(mktemp -d) || exit 0
trap 'rm -rf "$scratch"' EXIT

# Packages into a folder: get FOLDER PACKAGE...
get() {
  local to=$1
  shift
  rm -rf "$scratch/debs" && mkdir -p "$scratch/debs" "$to" &&
    (cd "$scratch/debs" && apt-get download -qq "$@" >/dev/null 2>&1) ||
    { echo "headers: could not be downloaded: $*"; return 1; }
  local package
  for package in "$scratch"/debs/*.deb; do dpkg-deb -x "$package" "$to" || return 1; done
}

depends() { apt-cache depends "$1" 2>/dev/null | awk -v what="$2" '$1 ~ /Depends:/ && $2 ~ what { print $2; exit }'; }

# Headers of one kernel, with the links and paths of an installed package made to point into the folder.
headers() {
  local name=$1 to="$into/$2" common kbuild file
  [ -f "$to/kernel" ] && [ "$(cat "$to/kernel")" = "$name" ] && [ -e "$to/build" ] && return 0
  common=$(depends "$name" '-common$')
  kbuild=$(depends "$name" '^linux-kbuild-')
  [ -n "$common" ] && [ -n "$kbuild" ] || { echo "headers: $name is not in the package lists (apt-get update?)"; return 0; }
  rm -rf "$to"
  get "$to" "$name" "$common" "$kbuild" || return 0
  for file in "$to/usr/src/$name/Makefile" "$to/usr/src/$name/.kernelvariables"; do
    [ -f "$file" ] && sed -i "s#/usr/src/linux-headers#$to/usr/src/linux-headers#g" "$file"
  done
  ln -sfn "usr/src/$name" "$to/build"
  echo "$name" >"$to/kernel"
  echo "headers: $name in $to"
}

old=$(depends linux-headers-amd64 '^linux-headers-6.1')
[ -n "$old" ] && headers "$old" 6.1
new=$(apt-cache search --names-only '^linux-headers-6\.12\..*[+]deb12-amd64$' 2>/dev/null | awk '{ print $1 }' | sort -V | tail -n 1)
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
exit 0
