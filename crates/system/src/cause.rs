//! Reasons why a flow is not faster: what a transmitter waits for, and what limits a flow.
//!
//! A [`Cause`] is a bottleneck named by `limit`, with its figures. A [`Wait`] is the class of the loss budget for its
//! time, which `sim` measures. Both have a variant for causes that only one kind of part has, with the words of that
//! kind, which its declaration lists: they are numbered when kinds are registered. To add a cause: a variant here, with its text
//! and its class, and the code that finds it.

use pcie::{Bytes, Class, LinkSpeed, Rate, Time};
use std::collections::BTreeSet;
use std::fmt;
use std::sync::OnceLock;

/// What a direction waits for while nothing is on the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// Flow-control credits of the receiver.
    Credits,
    /// ACKs that free the replay buffer.
    Replay,
    /// A tag, or buffer space for completions.
    Tags,
    /// Memory: read latency, service of writes, or a port's cap.
    Memory,
    /// Another source's turn, or a busier link further on.
    Arbitration,
    /// A descriptor.
    Descriptors,
    /// The card's own datapath or FIFO.
    Core,
    /// Software: commands, doorbells, notices, CPU stores.
    Software,
    /// The start of the card's next command, until its first TLP.
    Command,
    /// The root port's PIO pipeline.
    RootPort,
    /// There is nothing to send.
    Nothing,
    /// A wait that only one kind of part has: see [`Wait::own`].
    Own(Own),
}

impl Wait {
    /// The waits that every program has, in order of printing.
    const KNOWN: [Wait; 11] = [
        Wait::Credits,
        Wait::Replay,
        Wait::Tags,
        Wait::Memory,
        Wait::Arbitration,
        Wait::Descriptors,
        Wait::Core,
        Wait::Software,
        Wait::Command,
        Wait::RootPort,
        Wait::Nothing,
    ];

    /// The largest possible number of waits.
    pub const COUNT: usize = Wait::KNOWN.len() + Own::MOST;

    /// A wait that only one kind of part has, for example `the sensor`. Equal words give equal waits. Words that no registered
    /// kind declares ([`causes`](crate::kinds::kind::Declaration::causes)) become [`Wait::Core`], and are known as
    /// [`undeclared`] from then on: a simulation is refused.
    pub fn own(words: &'static str) -> Wait {
        match Own::all().position(|own| own.words() == words) {
            Some(place) => Wait::Own(Own(place as u8)),
            None => {
                UNDECLARED.get_or_init(|| words);
                Wait::Core
            }
        }
    }

    /// All waits: first those that every program has, then those of its kinds in alphabetical order.
    pub fn all() -> impl Iterator<Item = Wait> {
        Wait::KNOWN.into_iter().chain(Own::all().map(Wait::Own))
    }

    /// True for what the part that asks waits for, and not the memory: its requests pass it on to their completions.
    pub fn is_of_requester(self) -> bool {
        matches!(self, Wait::Tags | Wait::Core | Wait::Command | Wait::Software)
    }

    /// A unique number below [`Wait::COUNT`].
    pub fn index(self) -> usize {
        match self {
            Wait::Credits => 0,
            Wait::Replay => 1,
            Wait::Tags => 2,
            Wait::Memory => 3,
            Wait::Arbitration => 4,
            Wait::Descriptors => 5,
            Wait::Core => 6,
            Wait::Software => 7,
            Wait::Command => 8,
            Wait::RootPort => 9,
            Wait::Nothing => 10,
            Wait::Own(own) => Wait::KNOWN.len() + usize::from(own.0),
        }
    }
}

impl fmt::Display for Wait {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Wait::Credits => "waits for credits",
            Wait::Replay => "waits for ACKs (replay buffer)",
            Wait::Tags => "waits for tags",
            Wait::Memory => "waits for memory",
            Wait::Arbitration => "waits for arbitration",
            Wait::Descriptors => "waits for descriptors",
            Wait::Core => "waits for the card's core",
            Wait::Software => "waits for software",
            Wait::Command => "waits for the card's next command",
            Wait::RootPort => "waits for the root port's PIO pipeline",
            Wait::Nothing => "nothing to send",
            Wait::Own(own) => return f.pad(&format!("waits for {}", own.words())),
        })
    }
}

/// The number of a wait that a kind of part declares. TLPs carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Own(u8);

/// The words of all such waits, in alphabetical order: the same numbers in whichever order kinds are registered.
static OWN: OnceLock<Vec<&'static str>> = OnceLock::new();

/// The first words that were said and that no registered kind declares.
static UNDECLARED: OnceLock<&'static str> = OnceLock::new();

impl Own {
    /// The largest number of such waits in one program.
    pub const MOST: usize = 21;

    /// Numbers the words of all kinds, once: [`Own::MOST`] at most.
    pub(crate) fn number(words: impl Iterator<Item = &'static str>) {
        let all: BTreeSet<&'static str> = words.collect();
        OWN.get_or_init(|| all.into_iter().take(Own::MOST).collect());
    }

    fn all() -> impl Iterator<Item = Own> {
        (0..OWN.get().map_or(0, Vec::len) as u8).map(Own)
    }

    /// The words of the kind.
    pub fn words(self) -> &'static str {
        OWN.get().and_then(|all| all.get(usize::from(self.0))).copied().unwrap_or_default()
    }
}

/// Words of a wait or a cause that was asked for and that no registered kind declares, if there are any.
pub fn undeclared() -> Option<&'static str> {
    UNDECLARED.get().copied()
}

/// True where a wait that every program has is called so.
pub(crate) fn is_taken(words: &str) -> bool {
    Wait::KNOWN.into_iter().any(|known| known.to_string() == format!("waits for {words}"))
}

/// Header or data credits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// One for each TLP.
    Header,
    /// One for each 16 bytes of payload.
    Data,
}

/// What limits a flow at some place of its path. `CauseKind` is the same without figures; a test demands a case for each
/// (`crates/lab/tests/demanded.rs`).
#[derive(Clone, Copy, Debug, PartialEq, strum::EnumDiscriminants)]
#[strum_discriminants(
    name(CauseKind),
    derive(strum::EnumIter, PartialOrd, Ord),
    doc = "A [`Cause`] without its figures."
)]
pub enum Cause {
    /// A direction of a link that carries its payload.
    Transmit(LinkSpeed),
    /// A direction of a link that carries its read requests.
    ReadRequests(LinkSpeed),
    /// The rate at which a port passes payload; `Some` where the rate is of one flow only.
    Port(Option<Rate>),
    /// The rate of a link inside a host: between its sockets, or between I/O hub and CPU.
    Inside(Rate),
    /// The datapath of a card's core.
    Core,
    /// A card's FIFO towards the link.
    Fifo,
    /// The rate at which memory serves writes.
    Writes,
    /// The shortest time between two reads that memory serves.
    ReadGap,
    /// Walks of an IOMMU, one after another, for pages that are not in its IOTLB.
    Walks,
    /// Places of a host's table of outstanding reads.
    Lines,
    /// DRAM channels of a host.
    Dram,
    /// The Translation Requests of a card with Address Translation Services.
    Translations,
    /// Flow-control credits of a receiver.
    Credits(Class, Pool),
    /// A replay buffer.
    Replay,
    /// The time from the start of a command (of this many bytes) to its first TLP.
    CommandStart(Bytes),
    /// The time that software needs between two commands (of this many bytes).
    Software(Bytes),
    /// The wait for the descriptor of each page.
    Descriptors(Time),
    /// A card has this many read requests, and all are in flight.
    Requests(u64),
    /// A CPU has this many loads, and all are in flight.
    Loads(u64),
    /// So many commands are in the queues of a drive, and all are in flight.
    Queue(u64),
    /// Buffer space for completions of a card's reads.
    CompletionSpace,
    /// The CPU that fills write-combining lines.
    Stores,
    /// Write-combining lines that leave through the root port.
    Drain,
    /// A cause that only one kind of part has, in its words, for example `the sensor`.
    Own(&'static str),
}

impl Cause {
    /// The class of the loss budget for its time.
    pub fn wait(&self) -> Wait {
        match self {
            Cause::Transmit(_) => Wait::Arbitration,
            Cause::ReadRequests(_) | Cause::Requests(_) | Cause::CompletionSpace => Wait::Tags,
            Cause::Port(_)
            | Cause::Inside(_)
            | Cause::Writes
            | Cause::ReadGap
            | Cause::Walks
            | Cause::Translations
            | Cause::Lines
            | Cause::Dram => Wait::Memory,
            Cause::Core | Cause::Fifo => Wait::Core,
            Cause::Credits(..) => Wait::Credits,
            Cause::Replay => Wait::Replay,
            Cause::CommandStart(_) => Wait::Command,
            Cause::Software(_) | Cause::Queue(_) | Cause::Loads(_) | Cause::Stores => Wait::Software,
            Cause::Descriptors(_) => Wait::Descriptors,
            Cause::Drain => Wait::RootPort,
            Cause::Own(words) => Wait::own(words),
        }
    }
}

impl Cause {
    /// The cause as text, with rates as `rate` prints them (with their unit).
    pub fn told(&self, rate: &dyn Fn(Rate) -> String) -> String {
        match self {
            Cause::Port(Some(of)) => format!("{} behind the port", rate(*of)),
            Cause::Inside(of) => format!("{} on the link inside the host", rate(*of)),
            other => other.to_string(),
        }
    }
}

/// How rates in a cause are printed where nobody asks for a unit.
fn in_mib_per_s(rate: Rate) -> String {
    format!("{:.0} MiB/s", rate.as_mib_per_s())
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Transmit(speed) => write!(f, "{speed}, transmit"),
            Cause::ReadRequests(speed) => write!(f, "{speed}, read requests"),
            Cause::Port(Some(_)) | Cause::Inside(_) => f.write_str(&self.told(&in_mib_per_s)),
            Cause::Port(None) => f.write_str("payload behind the port"),
            Cause::Core => f.write_str("datapath of the core"),
            Cause::Fifo => f.write_str("FIFO towards the link"),
            Cause::Writes => f.write_str("memory, service of writes"),
            Cause::ReadGap => f.write_str("time between two reads"),
            Cause::Walks => f.write_str("page walks of the IOMMU"),
            Cause::Lines => f.write_str("lines that are read at once"),
            Cause::Dram => f.write_str("DRAM channels"),
            Cause::Translations => f.write_str("Translation Requests (ATS)"),
            Cause::Credits(class, Pool::Header) => write!(f, "{class} header credits"),
            Cause::Credits(class, Pool::Data) => write!(f, "{class} data credits"),
            Cause::Replay => f.write_str("replay buffer"),
            Cause::CommandStart(bytes) => write!(f, "start of each command of {bytes}"),
            Cause::Software(bytes) => write!(f, "software between commands of {bytes}"),
            Cause::Descriptors(time) => write!(f, "{time} of descriptor wait a page"),
            Cause::Requests(1) | Cause::Loads(1) => f.write_str("one read request in flight"),
            Cause::Requests(n) | Cause::Loads(n) => write!(f, "{n} read requests in flight"),
            Cause::Queue(1) => f.write_str("one command in flight"),
            Cause::Queue(n) => write!(f, "{n} commands in flight"),
            Cause::CompletionSpace => f.write_str("space for completions"),
            Cause::Stores => f.write_str("CPU filling write-combining lines"),
            Cause::Drain => f.write_str("drain of write-combining lines"),
            Cause::Own(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_every_wait_a_number_of_its_own() {
        // Of all tests of this crate, this one numbers waits of kinds.
        Own::number(["the sieve", "the oven", "the sieve"].into_iter());
        let numbers: Vec<usize> = Wait::all().map(Wait::index).collect();
        assert!(numbers.iter().all(|&number| number < Wait::COUNT), "{numbers:?}");
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
        assert!((0..Wait::KNOWN.len()).eq(Wait::KNOWN.iter().map(|wait| wait.index())));
        let (late, early) = (Wait::own("the sieve"), Wait::own("the oven"));
        assert_ne!(late, early);
        assert_eq!(Wait::own(String::from("the oven").leak()), early);
        assert_eq!(Cause::Own("the oven").wait(), early);
        assert_eq!(early.to_string(), "waits for the oven");
        let order: Vec<Wait> = Wait::all().filter(|&wait| wait == late || wait == early).collect();
        assert_eq!(order, [early, late], "by their words, whichever was said first");
        assert_eq!(undeclared(), None);
        assert_eq!((Wait::own("the kiln"), undeclared()), (Wait::Core, Some("the kiln")));
    }
}
