#!/usr/bin/env bash
# Builds the Linux driver against each kernel whose headers `make test-deps` fetched: tools/driver.sh build puts
# lanescope.ko into target/driver/KERNEL/; tools/driver.sh check lets sparse and checkpatch look at it, too. Kernels may be
# named as a second argument; `soak` is that of tools/soak-kernel.sh. A warning is an error. Ends with a line of counts.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
what=${1:-build}
kernels=${2:-6.1 6.12}
target=${CARGO_TARGET_DIR:-$PWD/target}
passed=0 failed=0 skipped=0

# A step and its output, which has to be free of warnings.
step() {
  local name=$1 text
  shift
  if text=$("$@" 2>&1) && ! grep -qiE 'warning|error:' <<<"$text"; then
    passed=$((passed + 1))
    echo "$name: clean"
  else
    failed=$((failed + 1))
    printf '%s\n%s: not clean\n' "$text" "$name"
  fi
}

build() {
  local kernel=$1 headers="$target/headers/$1" to="$target/driver/$1"
  [ "$kernel" != soak ] || headers=$target/soak
  if [ ! -e "$headers/build" ]; then
    skipped=$((skipped + 1))
    echo "$kernel: skipped: nothing in ${headers#"$target/"} ('make test-deps' fetches headers)"
    return
  fi
  mkdir -p "$to" && cp -ru driver/*.c driver/*.h driver/Kbuild driver/Makefile driver/include "$to"
  # Without pahole there is no type information for debuggers in the module, which it does not need.
  local without=""
  command -v pahole >/dev/null || without="CONFIG_DEBUG_INFO_BTF_MODULES="
  step "driver for $(cat "$headers/kernel")" make -s -C "$to" KDIR="$headers/build" $without
  mkdir -p "$to/module" && cp -ru driver/tests/module/* "$to/module"
  step "module of its tests" make -s -C "$headers/build" M="$to/module" $without modules
  [ "$what" = check ] || return
  if [ -x "$target/headers/sparse/usr/bin/sparse" ]; then
    rm -f "$to"/*.o
    PATH="$target/headers/sparse/usr/bin:$PATH" step "sparse, $kernel" make -s -C "$to" KDIR="$headers/build" $without check
  fi
}

for kernel in $kernels; do build "$kernel"; done
if [ "$what" = check ]; then
  checkpatch="$target/headers/checkpatch/checkpatch.pl"
  if [ -f "$checkpatch" ]; then
    for file in driver/*.c driver/*.h driver/include/uapi/linux/*.h driver/tests/module/*.c; do
      step "checkpatch, $file" perl "$checkpatch" --no-tree --strict --quiet --file "$file"
    done
  else
    skipped=$((skipped + 1))
    echo "checkpatch: skipped: not in target/headers ('make test-deps' fetches it)"
  fi
fi
[ "$skipped" = 0 ] && echo "$passed passed, $failed failed" || echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
