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

/// The lines that begin a report.
pub fn marks(console: &str) -> Vec<&str> {
    // What DMA-API says at the boot is that it is there; kmemleak scans more where an allocation of its own was made to fail.
    // Races are looked at when it is over (`races.rs`). Where a file in /proc/irq could not be made, for want of memory that was
    // refused, the kernel warns when it removes it.
    let quiet = [
        "DMA-API: preallocated",
        "DMA-API: debugging enabled",
        "kmemleak: Cannot allocate a scan area",
        "BUG: KCSAN:",
        "at remove_proc_entry+",
    ];
    let is_mark = |line: &&str| MARKS.iter().any(|mark| line.contains(mark)) && !quiet.iter().any(|q| line.contains(q));
    console.lines().filter(is_mark).collect()
}

/// The first reports with what follows them.
pub fn shown(console: &str) -> String {
    let lines: Vec<&str> = console.lines().collect();
    let Some(first) = marks(console).first().and_then(|mark| lines.iter().position(|line| line == mark)) else {
        return String::new();
    };
    lines[first..lines.len().min(first + SHOWN)].join("\n")
}
