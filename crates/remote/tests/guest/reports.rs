//! What the kernel of the soak has complained of: lines of its console that no run without a mistake has.

/// Lines that begin a report, by a word in them. Failures that were asked for (an allocation, a mapping) are warned of by
/// their callers in other words.
const MARKS: [&str; 20] = [
    "BUG:",
    "WARNING:",
    "KASAN:",
    "Oops",
    "general protection fault",
    "Kernel panic",
    "DMA-API:",
    "INFO: task",
    "INFO: trying to register non-static key",
    "rcu: INFO:",
    "ODEBUG:",
    "refcount_t:",
    "list_add corruption",
    "list_del corruption",
    "kmemleak: Kernel memory leak detector disabled",
    "kmemleak: Cannot",
    "new suspected memory leaks",
    "nobody cared",
    "stack guard page",
    "Unable to handle",
];

/// How many lines of a report are shown.
const SHOWN: usize = 45;

/// What the kernel warns of where something that it asks for itself is refused, with a function that is then below it: a file in
/// /proc/irq, or those of a driver in sysfs, which could not be made, are removed.
const REFUSED: [(&str, &str); 2] =
    [("at remove_proc_entry+", "unregister_irq_proc"), ("at sysfs_remove_group+", "really_probe")];

/// The lines that begin a report.
pub fn marks(console: &str) -> Vec<&str> {
    // What DMA-API says at the boot is that it is there; kmemleak scans more where an allocation of its own was made to fail.
    // Races are looked at when it is over (`races.rs`).
    let quiet =
        ["DMA-API: preallocated", "DMA-API: debugging enabled", "kmemleak: Cannot allocate a scan area", "BUG: KCSAN:"];
    let lines: Vec<&str> = console.lines().collect();
    let is_refused = |at: usize| {
        let below = &lines[at..lines.len().min(at + SHOWN)];
        REFUSED.iter().any(|(by, from)| lines[at].contains(by) && below.iter().any(|line| line.contains(from)))
    };
    let is_mark =
        |line: &str| MARKS.iter().any(|mark| line.contains(mark)) && !quiet.iter().any(|quiet| line.contains(quiet));
    (0..lines.len()).filter(|&at| is_mark(lines[at]) && !is_refused(at)).map(|at| lines[at]).collect()
}

/// The first reports with what follows them.
pub fn shown(console: &str) -> String {
    let lines: Vec<&str> = console.lines().collect();
    let Some(first) = marks(console).first().and_then(|mark| lines.iter().position(|line| line == mark)) else {
        return String::new();
    };
    lines[first..lines.len().min(first + SHOWN)].join("\n")
}

#[test]
fn is_a_warning_a_report_unless_the_kernel_was_refused_what_it_removes() {
    let warns =
        |below: &str| format!("[ 1.0] WARNING: CPU: 0 PID: 86 at sysfs_remove_group+0x9e/0xb0\n[ 1.1]  {below}\n");
    assert_eq!(marks(&warns("really_probe.cold+0x1e/0xcc")).len(), 0);
    assert_eq!(marks(&warns("ls_remove+0x1e/0xcc [lanescope]")).len(), 1);
}
