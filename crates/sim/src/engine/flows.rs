//! What the flows have done so far, and the window in which all of them were active.

use crate::engine::latencies::{Latencies, Latency};
use crate::engine::region::byte_at;
use crate::engine::window::Need;
use pcie::{Rate, Time};

/// One flow's account.
pub(crate) struct Account {
    volume: u64,
    need: Need,
    pub delivered: u64,
    first: Option<(Time, u64)>,
    pub last: Time,
    pub app_end: Time,
    over: bool,
    latencies: Latencies,
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
    /// What closes the window, and how many flows have not had enough since it opened.
    pub until: Until,
    short: usize,
    /// Bytes of all flows.
    pub all_delivered: u64,
    /// Flows whose application has not seen its end.
    pub running: usize,
    undelivered: usize,
    pub opened: Option<Time>,
    pub closed: Option<Time>,
}

/// What closes the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// The first flow that is at its end.
    FirstEnds,
    /// Every flow has moved enough: all of them go on until then.
    AllHaveEnough,
}

/// What a delivery changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    Nothing,
    Opened,
    Closed,
}

impl Flows {
    pub fn new(flows: impl Iterator<Item = (u64, Need)>, until: Until) -> Flows {
        let accounts: Vec<Account> = flows.map(|(volume, need)| Account::new(volume, need)).collect();
        Flows {
            origins: (0..accounts.len() as u32).collect(),
            cold: accounts.len(),
            until,
            short: accounts.len(),
            all_delivered: 0,
            running: accounts.len(),
            undelivered: accounts.len(),
            accounts,
            opened: None,
            closed: None,
        }
    }

    /// `bytes` of `flow` are where they go from `now` on.
    pub fn deliver(&mut self, flow: u32, bytes: u64, now: Time) -> Change {
        let opened = self.opened.is_some();
        let account = &mut self.accounts[flow as usize];
        let before = account.delivered;
        account.delivered += bytes;
        self.all_delivered += bytes;
        account.last = now;
        account.first.get_or_insert((now, bytes));
        let passed = |mark: u64| before < mark && account.delivered >= mark;
        let warmed = passed(account.need.warm);
        let done = passed(account.volume);
        if opened && passed(account.opened_with + account.need.enough) {
            self.short -= 1;
        }
        if warmed {
            self.cold -= 1;
        }
        if done {
            self.undelivered -= 1;
        }
        if self.closed.is_some() {
            return Change::Nothing;
        }
        if done || (self.until == Until::AllHaveEnough && self.short == 0) {
            self.closed = Some(now);
            self.accounts.iter_mut().for_each(|a| a.closed_with = a.delivered);
            return Change::Closed;
        }
        if warmed && self.cold == 0 {
            self.opened = Some(now);
            self.accounts.iter_mut().for_each(|a| a.opened_with = a.delivered);
            return Change::Opened;
        }
        Change::Nothing
    }

    pub fn timed(&mut self, flow: u32, latency: Time) {
        self.accounts[flow as usize].latencies.record(latency.as_fs() / 1000);
    }

    /// Compares bytes that are at their end with what `flow` carries at `offset`.
    pub fn compare(&mut self, flow: u32, offset: u64, data: &[u8]) {
        let origin = self.origins[flow as usize];
        let wrong = data.iter().zip(offset..).filter(|&(byte, at)| *byte != byte_at(origin, at)).count();
        let account = &mut self.accounts[flow as usize];
        account.compared += data.len() as u64;
        account.wrong += wrong as u64;
    }

    /// The application of `flow` has seen its end.
    pub fn ended(&mut self, flow: u32, at: Time) {
        let account = &mut self.accounts[flow as usize];
        (account.app_end, account.over) = (at, true);
        self.running -= 1;
    }

    /// True where there is such a flow.
    #[inline]
    pub fn is_one(&self, flow: u32) -> bool {
        (flow as usize) < self.accounts.len()
    }

    /// True where it has.
    pub fn has_ended(&self, flow: u32) -> bool {
        self.accounts[flow as usize].over
    }

    /// True where all payload is delivered and every application has seen its end.
    pub fn are_done(&self) -> bool {
        self.running == 0 && self.undelivered == 0
    }

    /// Payload that is where it goes, of how much, in bytes.
    pub fn delivered(&self) -> (u64, u64) {
        let sum =
            |of: fn(&Account) -> u64| self.accounts.iter().fold(0u64, |sum, account| sum.saturating_add(of(account)));
        (sum(|account| account.delivered), sum(|account| account.volume))
    }

    /// Of what all flows are to move until each has enough in the window, how much they have, in bytes.
    pub fn fulfilled(&self) -> (u64, u64) {
        let opened = self.opened.is_some();
        let of = |account: &Account| {
            let (warm, enough) = (account.need.warm, account.need.enough);
            let done = match opened {
                true => warm.saturating_add((account.delivered - account.opened_with).min(enough)),
                false => account.delivered.min(warm),
            };
            (done, warm.saturating_add(enough))
        };
        let add = |sum: (u64, u64), more: (u64, u64)| (sum.0.saturating_add(more.0), sum.1.saturating_add(more.1));
        self.accounts.iter().map(of).fold((0, 0), add)
    }

    /// When the last flow was over: its payload delivered, its end seen.
    pub fn end(&self) -> Time {
        self.accounts.iter().map(|account| account.last.max(account.app_end)).max().unwrap_or(Time::ZERO)
    }

    /// The window in which all flows were active at once, where enough of each is in it.
    pub fn window(&self) -> Option<(Time, Time)> {
        let enough = |account: &Account| account.in_window() >= account.need.enough;
        self.opened.zip(self.closed).filter(|(open, close)| close > open && self.accounts.iter().all(enough))
    }

    /// The flow that is at its end though all were to go on.
    pub fn ended_early(&self) -> Option<usize> {
        self.accounts.iter().position(|account| account.is_done())
    }
}

impl Account {
    fn new(volume: u64, need: Need) -> Account {
        Account {
            volume,
            need,
            delivered: 0,
            first: None,
            last: Time::ZERO,
            app_end: Time::ZERO,
            over: false,
            latencies: Latencies::default(),
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

    /// Bytes that arrived in the window.
    pub fn in_window(&self) -> u64 {
        self.closed_with.saturating_sub(self.opened_with)
    }

    /// Bytes that had arrived when the window opened.
    pub fn before_window(&self) -> u64 {
        self.opened_with
    }

    /// How much there is of what it is to move, by now: in the window where that has `opened`, else before.
    pub fn fulfilled(&self, opened: bool) -> f64 {
        match opened {
            true => (self.delivered - self.opened_with) as f64 / self.need.enough as f64,
            false => self.delivered as f64 / self.need.warm as f64,
        }
    }

    /// In the window.
    pub fn stream(&self, window: Option<(Time, Time)>) -> Option<Rate> {
        window.map(|(open, close)| Rate::of(self.in_window(), close - open))
    }

    pub fn app(&self) -> Rate {
        Rate::of(self.delivered, self.app_end)
    }

    pub fn distribution(&self) -> Vec<(f64, Time)> {
        let h = self.latencies.histogram();
        if h.is_empty() {
            return Vec::new();
        }
        SHARES.map(|share| (share, Time::from_ps(h.value_at_quantile(share)))).to_vec()
    }

    pub fn latency(&self) -> Latency {
        let h = self.latencies.histogram();
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
