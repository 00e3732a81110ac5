//! Ctrl-C: the first one ends the command with the results so far, the second ends the process at once. Settings of drivers that were
//! changed for a measurement are put back in either case.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The flag that Ctrl-C or a termination request sets.
pub fn flag() -> Arc<AtomicBool> {
    let flag = Arc::new(AtomicBool::new(false));
    let seen = flag.clone();
    // Where no handler can be set, Ctrl-C ends the process as usual.
    let _ = ctrlc::set_handler(move || {
        if seen.swap(true, Ordering::SeqCst) {
            bench::put_back();
            std::process::exit(130);
        }
    });
    flag
}
