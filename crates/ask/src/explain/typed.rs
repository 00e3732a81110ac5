//! A rate in words: `disk=sda,sdb rate=290MiB/s`, `from=gpu0 to=gpu1 rate=6.5GB/s`.

use crate::error::Complaint;
use lab::Span;
use pcie::{Bytes, Rate};
use system::FieldType;

/// Who moved data, how, and how fast.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// How it is told: `sda + sdb`.
    pub name: String,
    /// The streams that ran at once.
    pub moves: Vec<Move>,
    /// What software asked of each.
    pub load: Load,
    /// Their sum, bytes a second.
    pub rate: Span,
    /// The most that a thread was busy, as a share.
    pub busy: Option<f64>,
    /// The NUMA node of the memory.
    pub node: Option<u32>,
    /// True for disks that were read or written; false for streams from one end to another.
    pub is_of_disks: bool,
}

/// One stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Move {
    /// A device, or [`HOST`].
    pub from: String,
    /// The same.
    pub to: String,
}

/// The word for memory of the host.
pub const HOST: &str = "host";

/// What software asked of a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Bytes of a block.
    pub block: u64,
    /// Blocks in flight at each device; `None` where it was not said.
    pub depth: Option<u64>,
    /// True for blocks at random places.
    pub random: bool,
    /// Cores that gave the commands of all devices; `None` for one each.
    pub cores: Option<u64>,
}

impl Default for Load {
    fn default() -> Load {
        Load { block: 128 << 10, depth: None, random: false, cores: None }
    }
}

/// Blocks in flight where nothing is said: so many that waiting for them is no limit.
pub const USUAL_DEPTH: u64 = 32;

/// What may be written.
const FORM: &str = "write `disk=sda,sdb rate=290MiB/s` or `from=gpu0 to=gpu1 rate=6.5GB/s`, and where it matters op=write, \
     block=4KiB, depth=64, order=random, jobs=1 (one thread for all), busy=97%, node=1";

/// The units of a rate.
const UNITS: &str = "write a rate in MB/s, GB/s, MiB/s, GiB/s, Mbit/s or Gbit/s, as in `290MiB/s`, or from the least to the most, \
     `285MiB/s..295MiB/s`; or in IOPS or kIOPS, with `block=`";

impl Measured {
    /// Reads the words.
    ///
    /// # Errors
    /// A word that is not known, no devices, or no rate.
    pub fn parse(text: &str) -> Result<Measured, Complaint> {
        let wrong = |what: String| Complaint::new(format!("--measured `{text}`: {what}"), FORM);
        let (mut disks, mut from, mut to, mut rate, mut writes) = (Vec::new(), Vec::new(), Vec::new(), None, false);
        let (mut load, mut busy, mut node, mut seen) = (Load::default(), None, None, Vec::new());
        let mut is_block_said = false;
        for word in text.split_whitespace() {
            let Some((key, value)) = word.split_once('=') else { return Err(wrong(format!("`{word}` has no value"))) };
            if seen.contains(&key) {
                return Err(wrong(format!("`{key}` is there twice")));
            }
            seen.push(key);
            let names = || value.split(',').filter(|name| !name.is_empty()).map(str::to_string).collect::<Vec<_>>();
            let bad = || wrong(format!("`{key}` does not take `{value}`"));
            let number = |most: u64| value.parse().ok().filter(|n| (1..=most).contains(n)).ok_or_else(bad);
            match key {
                "disk" | "disks" => disks = names(),
                "from" => from = names(),
                "to" => to = names(),
                "rate" => rate = Some(value),
                "op" => writes = word_of(value, "write", "read").ok_or_else(bad)?,
                "order" => load.random = word_of(value, "random", "sequential").ok_or_else(bad)?,
                "block" => {
                    let bytes = Bytes::parse(value).map(|bytes| bytes.0);
                    is_block_said = true;
                    load.block = bytes.filter(|b| (1..=MOST_BLOCK).contains(b)).ok_or_else(bad)?;
                }
                "depth" => load.depth = Some(number(MOST_DEPTH)?),
                "jobs" => load.cores = Some(number(MOST_DEPTH)?),
                "busy" => {
                    let percent = value.trim_end_matches('%').parse::<f64>().ok();
                    busy = Some(percent.filter(|p| (0.0..=100.0).contains(p)).ok_or_else(bad)? / 100.0);
                }
                "node" => node = Some(value.parse().map_err(|_| bad())?),
                _ => return Err(wrong(format!("`{key}` is not known"))),
            }
        }
        let rate = rate.ok_or_else(|| wrong("it has no rate".into()))?;
        let block = is_block_said.then_some(load.block);
        let rate = span(rate, block)
            .ok_or_else(|| Complaint::new(format!("--measured `{text}`: `rate` does not take `{rate}`"), UNITS))?;
        let moves: Vec<Move> = match (&disks[..], &from[..], &to[..]) {
            ([_, ..], [], []) => {
                let one = |disk: &String| {
                    let (from, to) = if writes { (HOST.into(), disk.clone()) } else { (disk.clone(), HOST.into()) };
                    Move { from, to }
                };
                disks.iter().map(one).collect()
            }
            ([], [_, ..], [_, ..]) if writes => return Err(wrong("`op` goes with `disk`".into())),
            ([], [_, ..], [_, ..]) => {
                let all = from.iter().flat_map(|from| to.iter().map(move |to| (from, to)));
                all.map(|(from, to)| Move { from: from.clone(), to: to.clone() }).collect()
            }
            _ => return Err(wrong("it names no devices, or not both ends".into())),
        };
        if let Some(same) = moves.iter().find(|one| one.from == one.to) {
            return Err(wrong(format!("{} is both ends of a stream", same.from)));
        }
        let name = match &disks[..] {
            [] => format!("{} to {}", from.join(" + "), to.join(" + ")),
            _ if writes => format!("{}, written", disks.join(" + ")),
            _ => disks.join(" + "),
        };
        let is_of_disks = !disks.is_empty();
        Ok(Measured { name, moves, load, rate, busy, node, is_of_disks })
    }
}

const MOST_BLOCK: u64 = 1 << 30;
const MOST_DEPTH: u64 = 65_536;

/// True for the first word, false for the second.
fn word_of(value: &str, yes: &str, no: &str) -> Option<bool> {
    if value == yes { Some(true) } else { (value == no).then_some(false) }
}

/// One rate in bytes a second; commands a second are of `block`, where that is known.
fn rate(text: &str, block: Option<u64>) -> Option<f64> {
    let each = |block: u64| [("kIOPS", 1e3 * block as f64), ("IOPS", block as f64)];
    let bits = [("Mbit/s", 1e6 / 8.0), ("Gbit/s", 1e9 / 8.0)];
    let own = bits.into_iter().chain(block.into_iter().flat_map(each));
    let of = |(unit, worth): (&str, f64)| Some(text.strip_suffix(unit)?.trim().parse::<f64>().ok()? * worth);
    Rate::parse(text).map(|rate| rate.0).or_else(|| own.into_iter().find_map(of))
}

/// `290MiB/s`, or from the least to the most: `285MiB/s..295MiB/s`.
fn span(value: &str, block: Option<u64>) -> Option<Span> {
    let one = |text: &str| rate(text, block).filter(|&rate| rate > 0.0 && rate.is_finite());
    match value.split_once("..") {
        None => one(value).map(|rate| Span { low: rate, high: Some(rate) }),
        Some((low, high)) => {
            let (low, high) = one(low).zip(one(high))?;
            (low <= high).then_some(Span { low, high: Some(high) })
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    #[test]
    fn what_do_the_words_mean() {
        let disks = Measured::parse("disk=sda,sdb rate=290MiB/s op=write block=4KiB busy=97%").unwrap();
        assert_eq!((disks.name.as_str(), disks.moves.len()), ("sda + sdb, written", 2));
        assert_eq!((disks.moves[1].from.as_str(), disks.moves[1].to.as_str()), (HOST, "sdb"));
        assert_eq!((disks.load.block, disks.busy), (4096, Some(0.97)));
        assert_eq!(disks.rate.single(), Some(290.0 * 1_048_576.0));
        let cards = Measured::parse("from=gpu0,gpu1 to=gpu2 rate=6GB/s..7GB/s").unwrap();
        assert_eq!((cards.name.as_str(), cards.moves.len()), ("gpu0 + gpu1 to gpu2", 2));
        assert_eq!(cards.rate, Span { low: 6e9, high: Some(7e9) });
    }

    #[test]
    fn which_units_has_a_rate() {
        let rate = |text: &str| Measured::parse(&format!("disk=sda {text}")).map(|one| one.rate.single().unwrap());
        for (text, wanted) in [
            ("rate=11Gbit/s", 11e9 / 8.0),
            ("rate=900Mbit/s", 900e6 / 8.0),
            ("rate=300000IOPS block=4KiB", 300e3 * 4096.0),
            ("block=4KiB rate=300kIOPS", 300e3 * 4096.0),
        ] {
            assert!((rate(text).unwrap() / wanted - 1.0).abs() < 1e-9, "{text}");
        }
        // Of commands, the size is to be said; of another unit, the list is told.
        for text in ["rate=300kIOPS", "rate=1GT/s", "rate=12"] {
            let told = rate(text).unwrap_err();
            assert!(format!("{told:?}").contains("Mbit/s or Gbit/s"), "{text}: {told:?}");
        }
    }

    #[test]
    fn is_what_is_wrong_said() {
        let cases = [
            ("", "no rate"),
            ("disk=sda", "no rate"),
            ("rate=1GB/s", "no devices"),
            ("disk=sda rate=1", "does not take"),
            ("disk=sda rate=-1GB/s", "does not take"),
            ("disk=sda rate=2GB/s..1GB/s", "does not take"),
            ("disk=sda from=gpu0 rate=1GB/s", "names no devices"),
            ("from=gpu0 rate=1GB/s", "not both ends"),
            ("from=a to=a rate=1GB/s", "both ends"),
            ("disk=sda rate=1GB/s rate=2GB/s", "twice"),
            ("disk=sda rate=1GB/s speed=3", "not known"),
            ("sda 1GB/s", "has no value"),
            ("disk=sda rate=1GB/s depth=0", "does not take"),
            ("disk=sda rate=1GB/s busy=120%", "does not take"),
        ];
        for (text, what) in cases {
            let told = Measured::parse(text).unwrap_err().to_string();
            assert!(told.contains(what), "{text}: {told}");
        }
    }
}
