//! What the flows have done so far, and the window in which all of them were active.

use crate::Latency;
use hdrhistogram::Histogram;
use pcie::{Rate, Time};

/// One flow's account.
pub(crate) struct Account {
    volume: u64,
    warm: u64,
    pub delivered: u64,
    first: Option<(Time, u64)>,
    last: Time,
    pub app_end: Time,
    histogram: Histogram<u64>,
    opened_with: u64,
    closed_with: u64,
    pub compared: u64,
    pub wrong: u64,
}

/// All flows, and the window.
pub(crate) struct Flows {
    pub accounts: Vec<Account>,
    /// Whose bytes each flow carries: its own, or those of the first flow of its chain.
    pub origins: Vec<u32>,
    cold: usize,
    /// Flows whose application has not seen its end.
    pub running: usize,
    undelivered: usize,
    pub opened: Option<Time>,
    pub closed: Option<Time>,
}

/// What a delivery changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    Opened,
    Closed,
}

impl Flows {
    pub fn new(volumes: impl Iterator<Item = u64>) -> Flows {
        let accounts: Vec<Account> = volumes.map(Account::new).collect();
        Flows {
            origins: (0..accounts.len() as u32).collect(),
            cold: accounts.len(),
            running: accounts.len(),
            undelivered: accounts.len(),
            accounts,
            opened: None,
            closed: None,
        }
    }

    /// `bytes` of `flow` are where they go from `now` on.
    pub fn deliver(&mut self, flow: u32, bytes: u64, now: Time) -> Change {
        let account = &mut self.accounts[flow as usize];
        let before = account.delivered;
        account.delivered += bytes;
        account.last = now;
        account.first.get_or_insert((now, bytes));
        let warmed = before < account.warm && account.delivered >= account.warm;
        let done = account.is_done();
        if warmed {
            self.cold -= 1;
        }
        if done {
            self.undelivered -= 1;
        }
        if done && self.closed.is_none() {
            self.closed = Some(now);
            self.accounts.iter_mut().for_each(|a| a.closed_with = a.delivered);
            return Change::Closed;
        }
        if warmed && self.cold == 0 && self.closed.is_none() {
            self.opened = Some(now);
            self.accounts.iter_mut().for_each(|a| a.opened_with = a.delivered);
            return Change::Opened;
        }
        Change::Nothing
    }

    pub fn timed(&mut self, flow: u32, latency: Time) {
        // The histogram resizes itself: recording cannot fail.
        let _ = self.accounts[flow as usize].histogram.record(latency.as_fs() / 1000);
    }

    /// The application of `flow` has seen its end.
    pub fn ended(&mut self, flow: u32, at: Time) {
        self.accounts[flow as usize].app_end = at;
        self.running -= 1;
    }

    /// True where all payload is delivered and every application has seen its end.
    pub fn are_done(&self) -> bool {
        self.running == 0 && self.undelivered == 0
    }

    /// When the last flow was over: its payload delivered, its end seen.
    pub fn end(&self) -> Time {
        self.accounts.iter().map(|account| account.last.max(account.app_end)).max().unwrap_or(Time::ZERO)
    }

    /// The window, where all flows were active at once.
    pub fn window(&self) -> Option<(Time, Time)> {
        self.opened.zip(self.closed).filter(|(open, close)| close > open)
    }
}

/// The share of a flow's volume that passes before the window opens.
const WARM_UP: u64 = 10;

impl Account {
    fn new(volume: u64) -> Account {
        Account {
            volume,
            warm: (volume / WARM_UP).max(1),
            delivered: 0,
            first: None,
            last: Time::ZERO,
            app_end: Time::ZERO,
            histogram: new_histogram(),
            opened_with: 0,
            closed_with: 0,
            compared: 0,
            wrong: 0,
        }
    }

    pub fn is_done(&self) -> bool {
        self.delivered >= self.volume
    }

    /// From the first delivery to the last.
    pub fn timer(&self) -> Rate {
        match self.first {
            Some((first, bytes)) if self.last > first => Rate::of(self.delivered - bytes, self.last - first),
            _ => Rate(0.0),
        }
    }

    /// In the window; over its own life where there was none.
    pub fn stream(&self, window: Option<(Time, Time)>) -> Rate {
        match window {
            Some((open, close)) if self.closed_with > self.opened_with => {
                Rate::of(self.closed_with - self.opened_with, close - open)
            }
            _ => self.timer(),
        }
    }

    pub fn app(&self) -> Rate {
        Rate::of(self.delivered, self.app_end)
    }

    pub fn distribution(&self) -> Vec<(f64, Time)> {
        let h = &self.histogram;
        if h.is_empty() {
            return Vec::new();
        }
        SHARES.map(|share| (share, Time::from_ps(h.value_at_quantile(share)))).to_vec()
    }

    pub fn latency(&self) -> Latency {
        let h = &self.histogram;
        let at = |quantile: f64| Time::from_ps(h.value_at_quantile(quantile));
        match h.len() {
            0 => Latency::default(),
            count => Latency {
                count,
                min: Time::from_ps(h.min()),
                median: at(0.5),
                p99: at(0.99),
                p999: at(0.999),
                max: Time::from_ps(h.max()),
            },
        }
    }
}

/// The shares that a distribution is told at.
const SHARES: [f64; 14] = [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 1.0];

/// Picoseconds, three significant digits.
fn new_histogram() -> Histogram<u64> {
    #[expect(clippy::expect_used, reason = "three significant digits are within the library's 0 to 5")]
    let mut histogram = Histogram::new(3).expect("3 significant digits");
    histogram.auto(true);
    histogram
}
