#!/usr/bin/env bash
# What the tests of a QEMU guest boot: Debian's kernel, its NVMe modules in the order of loading, and busybox, from
# Debian's packages, extracted (not installed) into the folder given; and, in its folder 6.12, the newest kernel of Debian's
# backports, for the Linux driver. A kernel is fetched anew when there is a newer one, because tools/headers.sh fetches
# headers of the newest. Where it cannot, it says why; the test skips itself.
set -u

into=${1:?usage: tools/guest.sh FOLDER}
for tool in apt-get apt-cache dpkg-deb; do
  command -v "$tool" >/dev/null 2>&1 || { echo "guest: no $tool here: the test of a guest will be skipped"; exit 0; }
done

scratch=$(mktemp -d) || exit 0
trap 'rm -rf "$scratch"' EXIT

# True where FOLDER has KERNEL already.
has() { [ -f "$1/vmlinuz" ] && [ "$(cat "$1/kernel" 2>/dev/null)" = "$2" ]; }

# Packages, extracted into the scratch folder: get PACKAGE...
get() {
  rm -rf "$scratch/debs" "$scratch/root" && mkdir -p "$scratch/debs"
  (cd "$scratch/debs" && apt-get download -qq "$@" >/dev/null 2>&1) ||
    { echo "guest: could not be downloaded: $*"; return 1; }
  local package
  for package in "$scratch"/debs/*.deb; do
    dpkg-deb -x "$package" "$scratch/root" || { echo "guest: $package could not be extracted"; return 1; }
  done
}

# The image, and the name of its package last: who finds that finds all.
keep() {
  cp "$(find "$scratch/root/boot" -name 'vmlinuz-*' | head -n 1)" "$1/vmlinuz" && echo "$2" >"$1/kernel" && echo "guest: $2 in $1"
}

# The modules that `nvme` needs, those that others need first: each names its own in its .modinfo section.
modules=""
add() {
  local file
  file=$(find "$scratch/root" -name "$1.ko*" -o -name "${1//_/-}.ko*" | head -n 1)
  [ -n "$file" ] || return 0 # built in
  case " $modules " in *" $file "*) return 0 ;; esac
  case "$file" in *.xz) xz -dk "$file"; file=${file%.xz} ;; *.zst) zstd -qdk "$file"; file=${file%.zst} ;; esac
  local needed
  for needed in $(tr '\0' '\n' <"$file" | sed -n 's/^depends=//p' | tr ',' ' '); do add "$needed"; done
  case " $modules " in *" $file "*) ;; *) modules="$modules $file" ;; esac
}

old=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-/ { print $2; exit }')
[ -n "$old" ] || { echo "guest: no linux-image-amd64 in the package lists (apt-get update?)"; exit 0; }
if has "$into" "$old" && [ -f "$into/busybox" ]; then
  echo "guest: $old is there"
elif get "$old" busybox-static; then
  add nvme
  rm -rf "$into" && mkdir -p "$into/modules"
  number=10
  for file in $modules; do
    cp "$file" "$into/modules/$number-$(basename "$file")"
    number=$((number + 1))
  done
  cp "$(find "$scratch/root" -path '*bin/busybox' | head -n 1)" "$into/busybox"
  keep "$into" "$old"
fi

new=$(apt-cache search --names-only '^linux-image-6\.12\..*[+]deb12-amd64$' 2>/dev/null | awk '{ print $1 }' | sort -V | tail -n 1)
if [ -z "$new" ]; then
  echo "guest: no kernel 6.12 in the package lists"
elif has "$into/6.12" "$new"; then
  echo "guest: $new is there"
elif [ -f "$into/vmlinuz" ] && get "$new"; then
  rm -rf "$into/6.12" && mkdir -p "$into/6.12" && keep "$into/6.12" "$new"
fi
exit 0
