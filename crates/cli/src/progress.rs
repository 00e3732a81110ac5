//! A bar for long runs, where somebody watches.

use crate::screen::Screen;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lab::sweep::Work;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// What short runs do not need to show.
const SHORT: Duration = Duration::from_millis(700);

/// A bar that appears when a run turns out to be long, on a terminal only.
pub struct Progress {
    bar: ProgressBar,
    since: std::time::Instant,
    screen: Screen,
    /// Points that are done, of how many; none where the bar itself counts points.
    points: Option<(AtomicUsize, usize)>,
}

impl Progress {
    /// Of `total` points.
    pub fn new(screen: &Screen, total: usize) -> Progress {
        let form = "{bar:32} {pos}/{len} points, {elapsed} gone, {eta} to go";
        Progress::drawn(screen, Some(total as u64), form, None)
    }
    /// Of `total` points that are so much work together: a long one moves the bar while it runs.
    pub fn of_work(screen: &Screen, total: usize, work: u64) -> Progress {
        let form = "{bar:32} {percent} %, {msg} points, {elapsed} gone, {eta} to go";
        let progress = Progress::drawn(screen, Some(work), form, Some((AtomicUsize::new(0), total)));
        progress.bar.set_message(format!("0/{total}"));
        progress
    }
    /// Of points of which nobody knows how many there will be.
    pub fn counting(screen: &Screen) -> Progress {
        Progress::drawn(screen, None, "{spinner} {pos} points, {elapsed} gone; Ctrl-C keeps the best so far", None)
    }

    fn drawn(screen: &Screen, work: Option<u64>, form: &str, points: Option<(AtomicUsize, usize)>) -> Progress {
        let bar = ProgressBar::with_draw_target(work, ProgressDrawTarget::hidden());
        let plain = if work.is_some() { ProgressStyle::default_bar } else { ProgressStyle::default_spinner };
        bar.set_style(ProgressStyle::with_template(form).unwrap_or_else(|_| plain()));
        Progress { bar, since: std::time::Instant::now(), screen: *screen, points }
    }

    /// One more point is done.
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
    /// So much more of the work is done, and so much more there is to do than was known.
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
