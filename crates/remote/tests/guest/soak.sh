#!/bin/busybox sh
# What the guest of the soak runs: PART of it, from the kernel's command line. What is printed goes to the second serial
# port, what the kernel has to say to the first.
/bin/busybox --install -s /bin
export PATH=/bin
mount -t proc proc /proc; mount -t sysfs sysfs /sys; mount -t devtmpfs dev /dev
mount -t debugfs debug /sys/kernel/debug; mount -t tmpfs tmp /tmp
leaks=/sys/kernel/debug/kmemleak
stty -F /dev/ttyS1 raw
# An object is told of when it has been there for five seconds, and two looks have found nothing that points to it.
look() { [ -e $leaks ] || return 0; sleep 6; echo scan >$leaks; sleep 1; echo scan >$leaks; }
{
  # What the boot has left is not the driver's.
  look; [ ! -e $leaks ] || echo clear >$leaks; echo 0 >/proc/sys/kernel/printk_ratelimit
  insmod /lanescope.ko completion_timeout=100
  [ $PART != crowd_silent ] || insmod /ls_silent.ko
  insmod /ls_aer.ko
  insmod /ls_slow.ko
  [ ! -e /ls_fault.ko ] || insmod /ls_fault.ko
  ls -l /dev/lanescope*
  # Races of all the kernel: which are the driver's is asked of what it has told (races.rs).
  kcsan=/sys/kernel/debug/kcsan
  if [ -e $kcsan ]; then
    # As often, and for as long, as it takes to find one here. A processor that waits does nothing else.
    [ $(nproc) = 1 ] && skip=1000 || skip=100
    echo $skip >/sys/module/kcsan/parameters/skip_watch; echo 300 >/sys/module/kcsan/parameters/udelay_task
    echo on >$kcsan
  fi
  case $PART in
  controls)
    insmod /ls_mistake.ko
    for mistake in lock_order use_after_free sleep mapping leak; do
      echo $mistake >/sys/module/ls_mistake/parameters/make && echo "made $mistake"
    done ;;
  suite) /suite $LANESCOPE_SUITE ;;
  # What does without unsafe_rings.
  iommu) /suite ${LANESCOPE_SUITE:-bytes_of longer_than_the io_uring ring_mode_ends killed_in_ring to_itself not_pinned \
    the_card_of ahead_outlives its_process to_a_ring} ;;
  group) /suite ${LANESCOPE_SUITE:-neighbours} ;;
  # Where one card reaches the other, whatever is in a name of that has more to it.
  switch)
    if [ -e /lanescope ]; then
      /lanescope bench card /dev/lanescope0 /dev/lanescope1 --peers=give,take --size 2KiB,64KiB --depth 1,3 --time 4s --json=/tmp/peers
      echo "card to card ends with $?"
      echo "peers $(tr -d '\n' </tmp/peers)"
    fi
    /suite ${LANESCOPE_SUITE:-card_to_card} ;;
  soak) /soak ;;
  crowd*) /soak crowd ;;
  esac
  [ ! -e $kcsan ] || { echo "kcsan has looked:"; grep -E '^(setup_w|data_r)' $kcsan; echo off >$kcsan; }
  [ ! -e /ls_fault.ko ] || rmmod ls_fault
  rmmod ls_slow; rmmod ls_aer
  [ $PART != crowd_silent ] || rmmod ls_silent
  rmmod lanescope && echo "ok the_module_leaves"
  look; [ ! -e $leaks ] || sed 's/^/leak: /' $leaks | head -n 80
  [ ! -e /proc/lockdep_stats ] || grep -E '^ *debug_locks' /proc/lockdep_stats
  echo DONE
} >/dev/ttyS1 2>&1
poweroff -f
