//! The words of the options that measurements share.

use crate::error::Complaint;
use bench::Drive;
use pcie::{Bytes, Rate};
use std::time::Duration;
use system::FieldType;

/// The longest block: what one buffer of a ring may have.
pub(super) const MOST_BLOCK: u64 = 64 << 20;
/// Memory for the blocks in flight at one drive: more is seldom there, and no drive needs it.
const MOST_MEMORY: u64 = 1 << 30;
/// The least time that counts: its parts have some blocks each.
pub(super) const LEAST_TIME: Duration = Duration::from_millis(500);

/// The subsets that these texts name, each by names or paths of drives separated by commas.
pub(super) fn named(texts: &[String], drives: &[Drive]) -> Result<Vec<(String, Vec<usize>)>, Complaint> {
    let place = |name: &str| {
        let found = drives.iter().position(|drive| drive.name == name || drive.path == name);
        let names = || drives.iter().map(|drive| drive.name.as_str()).collect::<Vec<_>>().join(", ");
        let what = || format!("--subsets names {name}, which is not among the drives");
        found.ok_or_else(|| Complaint::new(what(), format!("write some of {}", names())))
    };
    let set = |text: &String| {
        let mut of = text.split(',').map(|name| place(name.trim())).collect::<Result<Vec<usize>, _>>()?;
        of.sort_unstable();
        of.dedup();
        let name = of.iter().map(|&at| drives[at].name.as_str()).collect::<Vec<_>>().join(" + ");
        Ok((name, of))
    };
    texts.iter().map(set).collect()
}

/// Checks that the blocks in flight at one drive have room.
pub(super) fn check_memory(blocks: &[u64], depths: &[u32]) -> Result<(), Complaint> {
    if let (Some(&block), Some(&depth)) = (blocks.iter().max(), depths.iter().max())
        && block.saturating_mul(u64::from(depth)) > MOST_MEMORY
    {
        let what =
            format!("{depth} blocks of {} in flight are more than {} of memory", Bytes(block), Bytes(MOST_MEMORY));
        return Err(Complaint::new(what, "write shorter blocks, or fewer"));
    }
    Ok(())
}

pub(super) fn list<T>(
    name: &str,
    text: &str,
    right: &str,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, Complaint> {
    let one = |word: &str| {
        let word = word.trim();
        read(word).ok_or_else(|| Complaint::new(format!("{name} does not take `{word}`"), format!("write {right}")))
    };
    text.split(',').map(one).collect()
}

pub(super) fn rate(text: &str) -> Result<u64, Complaint> {
    let rate = Rate::parse(text).map(|rate| rate.0 as u64).filter(|&rate| rate > 0);
    rate.ok_or_else(|| {
        Complaint::new(format!("--rate does not take `{text}`"), "write bytes a second with their unit, as in 200MB/s")
    })
}

pub(super) fn seconds(name: &str, text: &str) -> Result<Duration, Complaint> {
    let time = pcie::Time::parse(text).map(|time| Duration::from_secs_f64(time.as_secs()));
    time.filter(|time| *time <= Duration::from_secs(86_400)).ok_or_else(|| {
        Complaint::new(format!("{name} does not take `{text}`"), "write a time with its unit, as in 5s or 500ms")
    })
}
