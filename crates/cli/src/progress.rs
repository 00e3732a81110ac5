//! A bar for long runs, where somebody watches.

use crate::screen::Screen;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// What short runs do not need to show.
const SHORT: Duration = Duration::from_millis(700);

/// A bar that appears when a run turns out to be long, on a terminal only.
pub struct Progress {
    bar: ProgressBar,
    since: std::time::Instant,
    screen: Screen,
}

impl Progress {
    /// Of `total` points.
    pub fn new(screen: &Screen, total: usize) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total as u64), ProgressDrawTarget::hidden());
        let style = ProgressStyle::with_template("{bar:32} {pos}/{len} points, {elapsed} gone, {eta} to go");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Progress { bar, since: std::time::Instant::now(), screen: *screen }
    }
    /// Of points of which nobody knows how many there will be.
    pub fn counting(screen: &Screen) -> Progress {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template("{spinner} {pos} points, {elapsed} gone; Ctrl-C keeps the best so far");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        Progress { bar, since: std::time::Instant::now(), screen: *screen }
    }
    /// One more point is done.
    pub fn step(&self) {
        if self.screen.watched && self.bar.is_hidden() && self.since.elapsed() > SHORT {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
