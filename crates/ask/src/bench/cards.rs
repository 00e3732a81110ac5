//! Measurements of cards: `lanescope bench card`.

use super::pairs::pairs;
use super::prepared::{Measures, Prepared};
use super::words::{LEAST_TIME, check_memory, list, named, seconds};
use crate::error::{Complaint, Error};
use bench::{Calls, Drive, Order, Pair, Pattern, Plan};
use pcie::Bytes;
use std::path::Path;
use std::time::Duration;
use system::FieldType;

/// The options, as their text.
pub struct AskedCards<'a> {
    /// Cards (`/dev/lanescope0`), or channels of them.
    pub paths: &'a [String],
    /// Lengths of transfers, and numbers in flight; each separated by commas.
    pub sizes: &'a str,
    /// See [`AskedCards::sizes`].
    pub depths: &'a str,
    /// Names of channels that run at once, each text separated by commas; none for the usual subsets.
    pub subsets: &'a [String],
    /// True where channels are to be driven in ring mode.
    pub rings: bool,
    /// True where transfers are to be made by `read` and `write`.
    pub calls: bool,
    /// `read,write` or `write,read` where a thread has both directions of a number in turn.
    pub in_turn: Option<&'a str>,
    /// How long a call looks for its end before it sleeps, separated by commas; none to leave that as it is.
    pub poll: Option<&'a str>,
    /// Where each card is to write to each other one, what the host does with the frames: `design`, `give` or `give,take`.
    pub peers: Option<&'a str>,
    /// Time of a run that counts, and that does not.
    pub time: &'a str,
    /// See [`AskedCards::time`].
    pub warm_up: &'a str,
}

/// The longest transfer that the driver takes as one.
const MOST_SIZE: u64 = 64 << 20;

impl AskedCards<'_> {
    /// Opens the channels and plans the runs.
    ///
    /// # Errors
    /// An option that is wrong, or a card that cannot be opened.
    pub fn prepare(&self) -> Result<Prepared, Error> {
        let mut drives: Vec<Drive> = Vec::new();
        for path in self.paths {
            drives.extend(Drive::channels(path)?);
        }
        if let Some((_, twice)) =
            drives.iter().enumerate().find(|(n, one)| drives[..*n].iter().any(|other| other.device == one.device))
        {
            return Err(Complaint::new(format!("{} is named twice", twice.path), "name each channel once").into());
        }
        let blocks = list("--size", self.sizes, "lengths up to 64MiB, as in 4KiB,1MiB", |word| {
            Bytes::parse(word).map(|bytes| bytes.0).filter(|&bytes| bytes > 0 && bytes <= MOST_SIZE)
        })?;
        let depths = list("--depth", self.depths, "numbers from 1 to 4096, as in 1,16", |word| {
            word.parse().ok().filter(|depth| (1..=4096).contains(depth))
        })?;
        check_memory(&blocks, &depths)?;
        let calls = self.calls(&depths)?;
        let (time, warm_up) = (seconds("--time", self.time)?, seconds("--warm-up", self.warm_up)?);
        if time < LEAST_TIME {
            return Err(Complaint::new(format!("--time {} is too short", self.time), "write 0.5s or more").into());
        }
        let ways = drives.iter().map(|drive| probe::way::of_character(Path::new("/sys"), drive.device)).collect();
        let pairs = self.pairs(&drives, &blocks, &depths)?;
        let mut subsets = match &self.subsets {
            _ if !pairs.is_empty() => Vec::new(),
            [] => usual(&drives),
            texts => named(texts, &drives)?,
        };
        if self.in_turn.is_some() {
            in_turn(&mut subsets, &drives, self.subsets.is_empty())?;
        }
        let patterns = vec![Pattern::Sequential];
        let plan = Plan {
            subsets,
            pairs,
            blocks,
            depths,
            reads: 100,
            rate: None,
            patterns,
            polls: self.rings,
            calls,
            warm_up,
            time,
        };
        Ok(Prepared { what: Measures::Cards, drives, ways, plan })
    }
}

/// More threads at a channel than this have nothing to do.
const MOST_THREADS: u32 = 64;
/// The longest time that the driver lets a call look for its end.
const MOST_POLL: Duration = Duration::from_secs(1);

impl AskedCards<'_> {
    /// The pairs of cards; none where none are asked for.
    fn pairs(&self, drives: &[Drive], blocks: &[u64], depths: &[u32]) -> Result<Vec<Pair>, Complaint> {
        let Some(who) = self.peers else { return Ok(Vec::new()) };
        if self.rings || self.calls || self.in_turn.is_some() || !self.subsets.is_empty() {
            let right = "leave out --rings, --calls, --in-turn and --subsets";
            return Err(Complaint::new("--peers measures each card to each other one, and nothing else", right));
        }
        check_threads("--peers", depths)?;
        let pairs = pairs(who, drives)?;
        let takes = pairs.iter().any(|pair| pair.take.is_some());
        match blocks.iter().find(|&&block| takes && block > Pair::MOST) {
            Some(&block) => Err(Complaint::new(
                format!("a window has no room for a frame of {} beside others", Bytes(block)),
                format!("write --size up to {}", Bytes(Pair::MOST)),
            )),
            None => Ok(pairs),
        }
    }

    /// The ways of making calls; none where there are to be none.
    fn calls(&self, depths: &[u32]) -> Result<Vec<Calls>, Complaint> {
        let order = self.in_turn.map(|words| {
            let words: String = words.split_whitespace().collect();
            let wrong =
                || Complaint::new(format!("--in-turn does not take `{words}`"), "write read,write or write,read");
            Order::from_words(&words).ok_or_else(wrong)
        });
        let order = order.transpose()?;
        if !self.calls && order.is_none() {
            return match self.poll {
                Some(_) => Err(Complaint::new(
                    "--poll is of calls, and io_uring is told of ends by interrupts",
                    "write --calls or --in-turn besides, or --rings",
                )),
                None => Ok(Vec::new()),
            };
        }
        if self.rings {
            return Err(Complaint::new("--rings makes no calls", "leave out --rings, or --calls and --in-turn"));
        }
        check_threads("--calls", depths)?;
        let Some(poll) = self.poll else { return Ok(vec![Calls { poll_us: None, order }]) };
        let times = list("--poll", poll, "times up to 1s, as in 0us,50us", |word| {
            let time = seconds("--poll", word).ok().filter(|time| *time <= MOST_POLL)?;
            u32::try_from(time.as_micros()).ok().filter(|us| Duration::from_micros((*us).into()) == time)
        })?;
        Ok(times.into_iter().map(|us| Calls { poll_us: Some(us), order }).collect())
    }
}

/// Checks that there are not more threads than have anything to do.
fn check_threads(option: &str, depths: &[u32]) -> Result<(), Complaint> {
    match depths.iter().find(|&&depth| depth > MOST_THREADS) {
        Some(depth) => Err(Complaint::new(
            format!("--depth {depth}, which is a number of threads with {option}, is more than {MOST_THREADS}"),
            "write fewer",
        )),
        None => Ok(()),
    }
}

/// Checks that both directions of each number are in these subsets, or leaves those out that have not, where nobody named them.
fn in_turn(subsets: &mut Vec<(String, Vec<usize>)>, drives: &[Drive], usual: bool) -> Result<(), Complaint> {
    let alone = |of: &[usize]| {
        let has = |&at: &usize| of.iter().any(|&other| drives[at].is_opposite(&drives[other]));
        of.iter().find(|at| !has(at)).map(|&at| drives[at].name.clone())
    };
    let right = "a thread that reads and then writes wants both directions of a number: name a card, or c2hK and h2cK";
    if usual {
        subsets.retain(|(_, of)| alone(of).is_none());
        return if subsets.is_empty() {
            Err(Complaint::new("--in-turn finds no channel with its other direction", right))
        } else {
            Ok(())
        };
    }
    match subsets.iter().find_map(|(_, of)| alone(of)) {
        Some(name) => Err(Complaint::new(format!("--in-turn, and {name} runs without its other direction"), right)),
        None => Ok(()),
    }
}

/// Each channel alone, both directions of each number, all channels of a card, and all.
fn usual(drives: &[Drive]) -> Vec<(String, Vec<usize>)> {
    let names: Vec<&str> = drives.iter().map(|drive| drive.name.as_str()).collect();
    subsets(&names)
}

fn subsets(names: &[&str]) -> Vec<(String, Vec<usize>)> {
    let all: Vec<usize> = (0..names.len()).collect();
    let mut found: Vec<(String, Vec<usize>)> = all.iter().map(|&at| (names[at].to_string(), vec![at])).collect();
    let mut add = |name: String, of: Vec<usize>| {
        if of.len() > 1 && !found.iter().any(|(_, known)| *known == of) {
            found.push((name, of));
        }
    };
    let number = |at: usize| names[at].replace("c2h", "h2c");
    for &at in &all {
        let both: Vec<usize> = all.iter().copied().filter(|&other| number(other) == number(at)).collect();
        add(both.iter().map(|&at| names[at]).collect::<Vec<_>>().join(" + "), both);
    }
    let card = |at: usize| names[at].rsplit_once('/').map_or("", |(card, _)| card);
    for &at in &all {
        add(card(at).to_string(), all.iter().copied().filter(|&other| card(other) == card(at)).collect());
    }
    add("all".into(), all);
    found
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;

    fn calls(calls: bool, in_turn: Option<&str>, poll: Option<&str>, depth: u32) -> Result<Vec<Calls>, Complaint> {
        let (paths, subsets): (&[String], &[String]) = (&[], &[]);
        let asked = AskedCards {
            paths,
            sizes: "",
            depths: "",
            subsets,
            rings: false,
            calls,
            in_turn,
            poll,
            peers: None,
            time: "",
            warm_up: "",
        };
        asked.calls(&[depth])
    }

    #[test]
    fn are_calls_made_in_turn_and_beside_interrupts_polled() {
        let told = |result: Result<Vec<Calls>, Complaint>| result.unwrap_err().to_string();
        assert_eq!(calls(false, None, None, 99).unwrap(), []);
        assert_eq!(calls(true, None, None, 1).unwrap(), [Calls { poll_us: None, order: None }]);
        let turns = |us| Calls { poll_us: Some(us), order: Some(Order::ReadWrite) };
        assert_eq!(calls(false, Some("read, write"), Some("0us, 50us,1s"), 64).unwrap(), [0, 50, 1_000_000].map(turns));
        assert_eq!(told(calls(false, Some("read"), None, 1)), "--in-turn does not take `read`");
        for poll in ["2s", "50", "1.5ns"] {
            assert_eq!(told(calls(true, None, Some(poll), 1)), format!("--poll does not take `{poll}`"));
        }
        assert!(told(calls(true, None, None, 65)).contains("is more than 64"));
        assert!(told(calls(false, None, Some("5us"), 1)).starts_with("--poll is of calls"));
    }

    #[test]
    fn do_channels_run_alone_both_ways_by_card_and_all() {
        let told = |names: &[&str]| {
            let one = |(name, of): (String, Vec<usize>)| {
                format!("{name}={}", of.iter().map(ToString::to_string).collect::<String>())
            };
            subsets(names).into_iter().map(one).collect::<Vec<_>>()
        };
        assert_eq!(told(&["a/c2h0"]), ["a/c2h0=0"]);
        assert_eq!(told(&["a/c2h0", "a/h2c0"]), ["a/c2h0=0", "a/h2c0=1", "a/c2h0 + a/h2c0=01"]);
        let two = told(&["a/c2h0", "a/h2c0", "b/c2h0", "b/h2c0", "b/c2h1"]);
        let together = ["a/c2h0 + a/h2c0=01", "b/c2h0 + b/h2c0=23", "b=234", "all=01234"];
        assert_eq!(two[5..], together);
    }
}
