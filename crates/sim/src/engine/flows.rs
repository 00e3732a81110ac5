//! The accounts of the flows, and the window in which all flows are active.

use crate::engine::faults::Faults;
use crate::engine::latencies::{Latencies, Latency};
use crate::engine::region::byte_at;
use crate::engine::window::Need;
use pcie::{Rate, Time};

/// The account of one flow.
pub(crate) struct Account {
    volume: u64,
    need: Need,
    pub delivered: u64,
    /// Bytes delivered by now or later.
    promised: u64,
    first: Option<(Time, u64)>,
    pub last: Time,
    pub app_end: Time,
    over: bool,
    pub faults: Faults,
    latencies: Latencies,
    /// The sum of all latencies, picoseconds.
    latency_ps: u128,
    /// CPU time that its software has spent, femtoseconds.
    cpu_fs: u128,
    opened_with: u64,
    closed_with: u64,
    pub compared: u64,
    pub wrong: u64,
}

/// The accounts of all flows, and the window.
pub(crate) struct Flows {
    pub accounts: Vec<Account>,
    /// By flow: whose bytes it carries, its own or those of the first flow of its chain.
    pub origins: Vec<u32>,
    cold: usize,
    /// What closes the window, and how many flows have not had enough since it opened.
    pub until: Until,
    short: usize,
    /// Bytes delivered, of all flows.
    pub all_delivered: u64,
    /// Flows whose application has not seen the end.
    pub running: usize,
    undelivered: usize,
    pub opened: Option<Time>,
    pub closed: Option<Time>,
}

/// The condition that closes the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Until {
    /// The first flow ends.
    FirstEnds,
    /// Every flow has moved enough. Until then, all flows continue.
    AllHaveEnough,
}

/// The effect of a delivery on the window.
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

    /// `bytes` of `flow` will be delivered. True where that may change the window.
    #[inline]
    pub fn promise(&mut self, flow: u32, bytes: u64) -> bool {
        let account = &mut self.accounts[flow as usize];
        let before = account.promised;
        account.promised += bytes;
        let passes = |mark: u64| before < mark && account.promised >= mark;
        self.until == Until::AllHaveEnough || passes(account.need.warm) || passes(account.volume)
    }

    /// `bytes` of `flow` are delivered at `now`.
    pub fn deliver(&mut self, flow: u32, bytes: u64, now: Time) -> Change {
        let opened = self.opened.is_some();
        let account = &mut self.accounts[flow as usize];
        let before = account.delivered;
        account.delivered += bytes;
        if account.faults.stopped {
            return Change::Nothing;
        }
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

    /// A command of `flow` has failed: `bytes` of its volume are not delivered.
    pub fn failed(&mut self, flow: u32, bytes: u64, now: Time) -> Change {
        let account = &mut self.accounts[flow as usize];
        account.faults.failed += 1;
        let was_done = account.is_done();
        account.volume = account.volume.saturating_sub(bytes);
        if was_done || !account.is_done() {
            return Change::Nothing;
        }
        self.undelivered -= 1;
        if self.closed.is_some() {
            return Change::Nothing;
        }
        self.closed = Some(now);
        self.accounts.iter_mut().for_each(|a| a.closed_with = a.delivered);
        Change::Closed
    }

    /// `flow` will move nothing any more: the window, which begins anew, is that of the others.
    pub fn stopped(&mut self, flow: u32, now: Time) -> Change {
        let account = &mut self.accounts[flow as usize];
        if std::mem::replace(&mut account.faults.stopped, true) || account.is_done() {
            return Change::Nothing;
        }
        self.undelivered -= 1;
        self.running -= usize::from(!std::mem::replace(&mut account.over, true));
        self.cold -= usize::from(account.delivered < account.need.warm);
        if self.closed.is_some() || self.cold > 0 {
            return Change::Nothing;
        }
        self.opened = Some(now);
        self.short = self.accounts.iter().filter(|account| !account.faults.stopped).count();
        self.accounts.iter_mut().for_each(|a| a.opened_with = a.delivered);
        Change::Opened
    }

    pub fn timed(&mut self, flow: u32, latency: Time) {
        let account = &mut self.accounts[flow as usize];
        account.latency_ps += u128::from(latency.as_fs() / 1000);
        account.latencies.record(latency.as_fs() / 1000);
    }

    /// The software of `flow` spends CPU time.
    pub fn spent(&mut self, flow: u32, time: Time) {
        self.accounts[flow as usize].cpu_fs += u128::from(time.as_fs());
    }

    /// Compares delivered bytes with those that `flow` carries at `offset`.
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

    /// True where the scenario has such a flow.
    #[inline]
    pub fn is_one(&self, flow: u32) -> bool {
        (flow as usize) < self.accounts.len()
    }

    /// True where the application has seen its end.
    pub fn has_ended(&self, flow: u32) -> bool {
        self.accounts[flow as usize].over
    }

    /// True where all payload is delivered and every application has seen its end.
    pub fn are_done(&self) -> bool {
        self.running == 0 && self.undelivered == 0
    }

    /// Payload bytes delivered, and payload bytes to deliver in all.
    pub fn delivered(&self) -> (u64, u64) {
        let sum =
            |of: fn(&Account) -> u64| self.accounts.iter().fold(0u64, |sum, account| sum.saturating_add(of(account)));
        (sum(|account| account.delivered), sum(|account| account.volume))
    }

    /// Bytes that the flows have moved towards the end of the window, and bytes needed for that.
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

    /// When the last flow ended: its payload delivered and its end seen.
    pub fn end(&self) -> Time {
        self.accounts.iter().map(|account| account.last.max(account.app_end)).max().unwrap_or(Time::ZERO)
    }

    /// The window in which all flows were active, where each flow moved enough in it.
    pub fn window(&self) -> Option<(Time, Time)> {
        let enough = |account: &Account| account.in_window() >= account.need.enough;
        let mut active = self.accounts.iter().filter(|account| !account.faults.stopped);
        self.opened.zip(self.closed).filter(|(open, close)| close > open && active.all(enough))
    }

    /// A flow that ended although all flows were to continue.
    pub fn ended_early(&self) -> Option<usize> {
        self.accounts.iter().position(|account| account.is_done() && !account.faults.stopped)
    }
}

impl Account {
    fn new(volume: u64, need: Need) -> Account {
        Account {
            volume,
            need,
            delivered: 0,
            promised: 0,
            first: None,
            last: Time::ZERO,
            app_end: Time::ZERO,
            over: false,
            faults: Faults::default(),
            latencies: Latencies::default(),
            latency_ps: 0,
            cpu_fs: 0,
            opened_with: 0,
            closed_with: 0,
            compared: 0,
            wrong: 0,
        }
    }

    pub fn is_done(&self) -> bool {
        self.delivered >= self.volume
    }

    /// The rate from the first delivery to the last.
    pub fn timer(&self) -> Rate {
        match self.first {
            Some((first, bytes)) if self.last > first => Rate::of(self.delivered - bytes, self.last - first),
            _ => Rate(0.0),
        }
    }

    /// Bytes delivered in the window.
    pub fn in_window(&self) -> u64 {
        self.closed_with.saturating_sub(self.opened_with)
    }

    /// Bytes delivered before the window opened.
    pub fn before_window(&self) -> u64 {
        self.opened_with
    }

    /// Which share of its needed bytes has been moved by now: in the window where that has `opened`, before it
    /// otherwise.
    pub fn fulfilled(&self, opened: bool) -> f64 {
        match opened {
            true => (self.delivered - self.opened_with) as f64 / self.need.enough as f64,
            false => self.delivered as f64 / self.need.warm as f64,
        }
    }

    /// The rate in the window.
    pub fn stream(&self, window: Option<(Time, Time)>) -> Option<Rate> {
        let window = window.filter(|_| !self.faults.stopped);
        window.map(|(open, close)| Rate::of(self.in_window(), close - open))
    }

    /// CPU time that its software has spent, for each second until its application saw the end: busy cores.
    pub fn cores(&self) -> f64 {
        let all = self.app_end.as_fs();
        if all > 0 { self.cpu_fs as f64 / all as f64 } else { 0.0 }
    }

    pub fn app(&self) -> Rate {
        // What was under way when the application saw the end is not part of it.
        Rate::of(self.delivered.min(self.volume), self.app_end)
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
                mean: Time::from_ps((self.latency_ps / u128::from(count)) as u64),
                min: Time::from_ps(h.min()),
                median: at(0.5),
                p99: at(0.99),
                p999: at(0.999),
                max: Time::from_ps(h.max()),
            },
        }
    }
}

/// The shares at which a distribution of latencies is reported.
const SHARES: [f64; 14] = [0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9999, 1.0];
