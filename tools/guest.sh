#!/usr/bin/env bash
# What the test of a QEMU guest boots: Debian's kernel, its NVMe modules in the order of loading, and busybox, from
# Debian's packages, extracted (not installed) into the folder given. Where it cannot, it says why; the test skips itself.
set -u

into=${1:?usage: tools/guest.sh FOLDER}
[ -f "$into/vmlinuz" ] && [ -f "$into/busybox" ] && { echo "guest: all there"; exit 0; }
for tool in apt-get apt-cache dpkg-deb; do
  command -v "$tool" >/dev/null 2>&1 || { echo "guest: no $tool here: the test of a guest will be skipped"; exit 0; }
done

scratch=$(mktemp -d) || exit 0
trap 'rm -rf "$scratch"' EXIT
kernel=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image-/ { print $2; exit }')
[ -n "$kernel" ] || { echo "guest: no linux-image-amd64 in the package lists (apt-get update?)"; exit 0; }
(cd "$scratch" && apt-get download -qq "$kernel" busybox-static >/dev/null 2>&1) ||
  { echo "guest: $kernel or busybox-static could not be downloaded"; exit 0; }
for package in "$scratch"/*.deb; do
  dpkg-deb -x "$package" "$scratch/root" || { echo "guest: $package could not be extracted"; exit 0; }
done

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
add nvme
rm -rf "$into" && mkdir -p "$into/modules"
number=10
for file in $modules; do
  cp "$file" "$into/modules/$number-$(basename "$file")"
  number=$((number + 1))
done
cp "$(find "$scratch/root" -path '*bin/busybox' | head -n 1)" "$into/busybox"
cp "$(find "$scratch/root/boot" -name 'vmlinuz-*' | head -n 1)" "$into/vmlinuz"
echo "guest: $kernel in $into"
