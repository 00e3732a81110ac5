//! How much of the host's processors a guest has had. One that waits for them is slow by itself, and its kernel may tell of tasks
//! that hang where nothing does.

use std::time::{Duration, Instant};

/// Between two measurements.
const EACH: Duration = Duration::from_secs(20);

/// Of the process of a guest.
pub struct Processors {
    process: u32,
    since: Instant,
    at: Times,
    /// What was measured last.
    pub said: String,
}

/// For how long all threads together have run, and have waited for a processor, nanoseconds.
#[derive(Clone, Copy, Default)]
struct Times {
    ran: u64,
    waited: u64,
}

impl Processors {
    pub fn new(process: u32) -> Processors {
        Processors { process, since: Instant::now(), at: times(process), said: String::new() }
    }

    /// What was measured, if it was time to.
    pub fn look(&mut self) -> Option<&str> {
        (self.since.elapsed() > EACH).then(|| self.measure())
    }

    /// What there was since the last measurement.
    pub fn measure(&mut self) -> &str {
        let (now, seconds) = (times(self.process), self.since.elapsed().as_secs_f64());
        let each = |now: u64, before: u64| now.saturating_sub(before) as f64 * 1e-9 / seconds;
        let (ran, waited) = (each(now.ran, self.at.ran), each(now.waited, self.at.waited));
        self.said =
            format!("in {seconds:.0} s it has had {ran:.2} processors of the host, and waited for {waited:.2} more");
        (self.since, self.at) = (Instant::now(), now);
        &self.said
    }
}

/// Of a host that does not tell, nothing.
fn times(process: u32) -> Times {
    let Ok(threads) = std::fs::read_dir(format!("/proc/{process}/task")) else { return Times::default() };
    let of_thread = |folder: std::path::PathBuf| {
        let text = std::fs::read_to_string(folder.join("schedstat")).unwrap_or_default();
        let mut words = text.split_whitespace().map(|word| word.parse().unwrap_or(0));
        Times { ran: words.next().unwrap_or(0), waited: words.next().unwrap_or(0) }
    };
    let all = threads.flatten().map(|entry| of_thread(entry.path()));
    all.fold(Times::default(), |sum, one| Times { ran: sum.ran + one.ran, waited: sum.waited + one.waited })
}
