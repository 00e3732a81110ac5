#!/usr/bin/env bash
# Builds the Linux driver against each kernel whose headers `make test-deps` fetched: tools/driver.sh build puts
# lanescope.ko into target/driver/KERNEL/; tools/driver.sh check lets sparse and checkpatch look at it, too, and tools/layers.py
# at its layers. 686 is 6.1 of 32 bits. Kernels may be named as further arguments; `soak` and `kcsan` are those of tools/soak-kernel.sh. A warning is an
# error. Ends with a line of counts.
set -u
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1
what=${1:-build}
[ $# = 0 ] || shift
[ $# != 0 ] || set -- 5.15 6.1 686 6.8 6.12 6.17 newest
target=${CARGO_TARGET_DIR:-$PWD/target}
passed=0 failed=0 skipped=0

# A step and its output, which has to be free of warnings; that headers came from another compiler is none of ours.
step() {
  local name=$1 text
  shift
  if text=$("$@" 2>&1) && ! grep -v 'differs from the one used to build' <<<"$text" | grep -qiE 'warning|error:'; then
    passed=$((passed + 1))
    echo "$name: clean"
  else
    failed=$((failed + 1))
    printf '%s\n%s: not clean\n' "$text" "$name"
  fi
}

skip() {
  skipped=$((skipped + 1))
  echo "$1: skipped: $2"
}

# Kernels that a guest boots have the module of the tests, too, and sparse.
build() {
  local kernel=$1 headers="$target/headers/$1" to="$target/driver/$1" from="'make test-deps' fetches headers"
  case "$kernel" in soak | kcsan) headers=$target/$kernel ;; esac
  case "$kernel" in 5.15 | 6.8 | 6.17) from="fetched by LANESCOPE_UBUNTU=MIRROR tools/headers.sh ${target#"$PWD/"}/headers" ;; esac
  [ -e "$headers/build" ] || { skip "$kernel" "nothing in ${headers#"$target/"} ($from)"; return; }
  mkdir -p "$to" && cp -ru driver/{core,engine,ring,peer,user,card,include} driver/Kbuild driver/Makefile "$to"
  # Without pahole there is no type information for debuggers in the module, which it does not need.
  local with=("-j$(getconf _NPROCESSORS_ONLN)")
  command -v pahole >/dev/null || with+=("CONFIG_DEBUG_INFO_BTF_MODULES=")
  [ ! -f "$headers/cc" ] || with+=("CC=$(cat "$headers/cc")")
  step "driver for $(cat "$headers/kernel")" make -s -C "$to" KDIR="$headers/build" "${with[@]}"
  case "$kernel" in 6.1 | 6.12 | soak | kcsan) ;; *) return ;; esac
  mkdir -p "$to/module" && cp -ru driver/tests/module/* "$to/module"
  step "module of its tests" make -s -C "$headers/build" M="$to/module" "${with[@]}" modules
  [ "$what" = check ] || return
  if [ -x "$target/headers/sparse/usr/bin/sparse" ]; then
    rm -f "$to"/*/*.o
    PATH="$target/headers/sparse/usr/bin:$PATH" step "sparse, $kernel" make -s -C "$to" KDIR="$headers/build" "${with[@]}" check
  fi
}

for kernel; do build "$kernel"; done
if [ "$what" = check ]; then
  step layers python3 tools/layers.py
  checkpatch="$target/headers/checkpatch/checkpatch.pl"
  if [ -f "$checkpatch" ]; then
    for file in driver/{core,engine,ring,peer,user,card}/*.[ch] driver/include/uapi/linux/*.h driver/tests/module/*.c; do
      # Upstream, versions are not asked for; here, in one file.
      ignored=$([ "$file" != driver/core/ls_compat.h ] || echo --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON)
      # shellcheck disable=SC2086
      step "checkpatch, $file" perl "$checkpatch" --no-tree --strict --quiet $ignored --file "$file"
    done
  else
    skip checkpatch "not in target/headers ('make test-deps' fetches it)"
  fi
fi
[ "$skipped" = 0 ] && echo "$passed passed, $failed failed" || echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
