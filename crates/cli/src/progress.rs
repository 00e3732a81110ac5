//! The progress bar for long runs on a terminal.

use crate::screen::Screen;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::sweep::Work;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Runs shorter than this show no bar.
const SHORT: Duration = Duration::from_millis(700);

/// A progress bar. It appears only on a terminal, and only when a run takes long.
pub struct Progress {
    bar: ProgressBar,
    since: std::time::Instant,
    screen: Screen,
    /// Number of finished points, and of all points; `None` where the bar itself counts points.
    points: Option<(AtomicUsize, usize)>,
}

impl Progress {
    /// A bar for `total` points.
    pub fn new(screen: &Screen, total: usize) -> Progress {
        let form = "{bar:32} {pos}/{len} points, {elapsed} gone, {eta} to go";
        Progress::drawn(screen, Some(total as u64), form, None)
    }
    /// A bar for `total` points with a known amount of work. A long point moves the bar while it runs.
    pub fn of_work(screen: &Screen, total: usize, work: u64) -> Progress {
        let form = "{bar:32} {percent} %, {msg} points, {elapsed} gone, {eta} to go";
        let progress = Progress::drawn(screen, Some(work), form, Some((AtomicUsize::new(0), total)));
        progress.bar.set_message(format!("0/{total}"));
        progress
    }
    /// A bar for an unknown number of points.
    pub fn counting(screen: &Screen) -> Progress {
        Progress::drawn(screen, None, "{spinner} {pos} points, {elapsed} gone; Ctrl-C keeps the best so far", None)
    }

    fn drawn(screen: &Screen, work: Option<u64>, form: &str, points: Option<(AtomicUsize, usize)>) -> Progress {
        let bar = ProgressBar::with_draw_target(work, ProgressDrawTarget::hidden());
        let plain = if work.is_some() { ProgressStyle::default_bar } else { ProgressStyle::default_spinner };
        bar.set_style(ProgressStyle::with_template(form).unwrap_or_else(|_| plain()));
        Progress { bar, since: std::time::Instant::now(), screen: *screen, points }
    }

    /// Counts one finished point.
    pub fn step(&self) {
        self.appear();
        match &self.points {
            None => self.bar.inc(1),
            Some((done, total)) => {
                let done = done.fetch_add(1, Ordering::Relaxed) + 1;
                self.bar.set_message(format!("{done}/{total}"));
            }
        }
    }
    /// Adds work that was done, and work that has been found to be necessary.
    pub fn work(&self, work: Work) {
        self.appear();
        self.bar.inc_length(work.more);
        self.bar.inc(work.done);
    }

    fn appear(&self) {
        if self.screen.watched && self.bar.is_hidden() && self.since.elapsed() > SHORT {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_one_long_point_move_the_bar_while_it_runs() {
        let screen = Screen { colour: false, error_colour: false, watched: false, width: 80, unit: None };
        let progress = Progress::of_work(&screen, 1, 1000);
        progress.work(Work { done: 250, more: 0 });
        assert_eq!((progress.bar.position(), progress.bar.length()), (250, Some(1000)));
        assert_eq!(progress.bar.message(), "0/1");
        progress.work(Work { done: 0, more: 500 });
        assert_eq!((progress.bar.position(), progress.bar.length()), (250, Some(1500)), "more than was known");
        progress.work(Work { done: 1250, more: 0 });
        progress.step();
        assert_eq!((progress.bar.position(), progress.bar.message().as_str()), (1500, "1/1"));
    }
}
