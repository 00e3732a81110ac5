//! Lines of the kernel's log.

use crate::address::Address;
use crate::link_rate::LinkRate;
use crate::machine::Machine;
use crate::saying::{Errors, Saying, Told};
use pcie::config::Speed;
use std::collections::BTreeMap;

/// What the lines so far have said.
#[derive(Default)]
pub struct Log {
    limited: Vec<Told>,
    errors: BTreeMap<Address, Errors>,
    /// Functions of which the next error line is of several.
    several: Option<Address>,
}

impl Log {
    /// Reads a line; false where it is none of these.
    pub fn line(&mut self, line: &str) -> bool {
        let Some((at, time, said)) = head(line) else { return false };
        if let Some(told) = limited(at, said) {
            self.limited.push(told);
            return true;
        }
        if let Some(rest) = said.strip_prefix("AER: ") {
            let multiple = rest.starts_with("Multiple ");
            let from = rest.split_once(" received").and_then(|(_, rest)| rest.split(':').next_back().map(|_| rest));
            let of = from.and_then(|rest| rest.split_whitespace().find_map(|word| word.parse().ok())).unwrap_or(at);
            self.several = multiple.then_some(of);
            return rest.contains("error message received") || rest.contains("Error message received");
        }
        if let Some(rest) = said.strip_prefix("PCIe Bus Error: severity=") {
            let severity = rest.split(", type=").next().unwrap_or(rest).to_string();
            let several = self.several.take().is_some();
            let errors = self.errors.entry(at).or_default();
            *errors.severities.entry(severity).or_default() += 1;
            errors.several |= several;
            errors.times =
                time.map(|now| errors.times.map_or((now, now), |(first, last)| (first.min(now), last.max(now))));
            return true;
        }
        let Some(errors) = self.errors.get_mut(&at) else { return false };
        if said.trim_start().starts_with("device [") && said.contains("error status/mask=") {
            return true;
        }
        let name = said.trim_start().strip_prefix('[').and_then(|rest| rest.split_once(']'));
        let name = name.filter(|(bit, _)| bit.trim().parse::<u32>().is_ok_and(|bit| bit < 32));
        let Some(word) = name.and_then(|(_, rest)| rest.split_whitespace().next()) else { return false };
        *errors.named.entry(word.to_string()).or_default() += 1;
        true
    }

    /// What was said, by function. A device that the log alone names becomes a function, with the maximum of its link.
    pub fn told(self, machine: &mut Machine) -> Vec<Told> {
        for told in &self.limited {
            let Saying::Limited { able, .. } = &told.what else { continue };
            let function = machine.known(told.at);
            function.os.link.max_speed = function.os.link.max_speed.or(able.speed);
            function.os.link.max_width = function.os.link.max_width.or(able.width);
        }
        for at in self.errors.keys() {
            machine.known(*at);
        }
        let errors = self.errors.into_iter().map(|(at, errors)| Told { at, what: Saying::Errors(errors) });
        self.limited.into_iter().chain(errors).collect()
    }
}

/// The function, the time in seconds and the message of a line, as in `[   3.06] pci 0000:01:00.0: message`.
fn head(line: &str) -> Option<(Address, Option<f64>, &str)> {
    let line = line.trim_start();
    let time = line.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let seconds = time.and_then(|(time, _)| time.trim().parse().ok());
    let rest = if seconds.is_some() { time.map_or(line, |(_, rest)| rest) } else { line };
    // A journal has date, host and `kernel:` before it.
    let rest = rest.split_once(" kernel: ").map_or(rest, |(_, rest)| rest);
    let rest = rest.strip_prefix("kernel: ").unwrap_or(rest).trim_start();
    let (_, rest) = rest.split_once(' ').filter(|(driver, _)| !driver.is_empty() && !driver.contains(':'))?;
    let (place, said) = rest.split_once(": ")?;
    // The kernel prints the domain always.
    let at = place.parse().ok().filter(|_| place.matches(':').count() == 2)?;
    Some((at, seconds, said))
}

/// `31.504 Gb/s available PCIe bandwidth, limited by 8.0 GT/s PCIe x4 link at 0000:00:00.0 (capable of 63.012 Gb/s with 16.0 GT/s
/// PCIe x4 link)`.
fn limited(at: Address, said: &str) -> Option<Told> {
    let (_, rest) = said.split_once("available PCIe bandwidth, limited by ")?;
    let (now, rest) = rest.split_once(" link at ")?;
    let by = rest.split_whitespace().next()?.parse().ok()?;
    let (_, able) = rest.split_once(" with ")?;
    let what = Saying::Limited { by, now: rate(now)?, able: rate(able.split_once(" link")?.0)? };
    Some(Told { at, what })
}

/// `8.0 GT/s PCIe x4`.
fn rate(text: &str) -> Option<LinkRate> {
    let width = text.rsplit_once('x')?.1.trim().parse().ok()?;
    Some(LinkRate { speed: Some(Speed::parse(text)?), width: Some(width) })
}
