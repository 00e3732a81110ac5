//! The CPU time of this thread.

use rustix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// CPU time that this thread has spent, in user space and in the kernel.
pub(crate) fn spent() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}
