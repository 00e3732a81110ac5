//! Why something is not faster: what a transmitter waits for, and what a flow is held back by.
//!
//! A [`Cause`] is what `limit` names, with its figures; a [`Wait`] is the class of the loss budget that its time belongs to,
//! which `sim` counts instant by instant. Both have a variant for what only one kind of part knows, with that kind's own
//! words. A new cause is a variant here, with its words and its class, and whoever finds it.

use pcie::{Bytes, Class, LinkSpeed, Rate, Time};
use std::fmt;
use std::sync::{Mutex, PoisonError};

/// What a direction waits for when nothing is on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// Flow-control credits of the receiver.
    Credits,
    /// Acknowledgements that would free the replay buffer.
    Replay,
    /// A tag, or space for completions.
    Tags,
    /// Memory: the latency of reads, the service of writes, a port's cap.
    Memory,
    /// Another source's turn, or a fuller link on the way.
    Arbitration,
    /// A descriptor.
    Descriptors,
    /// The card's own datapath or FIFO.
    Core,
    /// Software: commands, doorbells, notices, CPU stores.
    Software,
    /// The card's next command: its latency, from what begins it to its first TLP.
    Command,
    /// The root port's pipeline of PIO.
    RootPort,
    /// Nothing: there was nothing to send.
    Nothing,
    /// What only one kind of part knows: see [`Wait::own`].
    Own(Own),
}

impl Wait {
    /// Those that every program knows, in the order of printing.
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

    /// How many there can be.
    pub const COUNT: usize = Wait::KNOWN.len() + Own::MOST;

    /// What a kind of part waits for that no other one knows, as in `the sensor`. The same words are the same wait. A
    /// program has room for [`Own::MOST`] such; of more, what came too late is [`Wait::Core`].
    pub fn own(words: &'static str) -> Wait {
        let said = format!("waits for {words}");
        let known = Wait::KNOWN.into_iter().find(|known| known.to_string() == said);
        known.unwrap_or_else(|| Own::named(words).map_or(Wait::Core, Wait::Own))
    }

    /// All that there are: those that every program knows, then those of its kinds by their words.
    pub fn all() -> impl Iterator<Item = Wait> {
        Wait::KNOWN.into_iter().chain(Own::all().into_iter().map(Wait::Own))
    }

    /// A number of its own, below [`Wait::COUNT`].
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

/// The words of a wait that a kind of part brings, as a small number: TLPs carry it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Own(u8);

/// All words of that sort, in the order in which they were first said.
static OWN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

impl Own {
    /// So many different ones and no more in one program.
    pub const MOST: usize = 21;

    fn named(words: &'static str) -> Option<Own> {
        // Nothing is half-done in there when a thread panics.
        let mut all = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        let place = all.iter().position(|&known| known == words).unwrap_or_else(|| {
            if all.len() < Own::MOST {
                all.push(words);
                return all.len() - 1;
            }
            Own::MOST
        });
        (place < Own::MOST).then_some(Own(place as u8))
    }

    /// By their words, so that nothing depends on which was said first.
    fn all() -> Vec<Own> {
        let count = OWN.lock().unwrap_or_else(PoisonError::into_inner).len();
        let mut all: Vec<Own> = (0..count as u8).map(Own).collect();
        all.sort_by_key(|own| own.words());
        all
    }

    /// As the kind said them.
    pub fn words(self) -> &'static str {
        let all = OWN.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(usize::from(self.0)).copied().unwrap_or_default()
    }
}

/// Which credits of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// One a TLP.
    Header,
    /// One for each 16 bytes of payload.
    Data,
}

/// What holds a flow back at some place on its way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cause {
    /// A direction of a link that carries its payload.
    Transmit(LinkSpeed),
    /// A direction of a link that carries its read requests.
    ReadRequests(LinkSpeed),
    /// What a port passes of payload; the rate where it is one flow's own.
    Port(Option<Rate>),
    /// The datapath of a card's core.
    Core,
    /// A card's FIFO towards the link.
    Fifo,
    /// Memory that serves writes.
    Writes,
    /// From one read that memory serves to the next.
    ReadGap,
    /// Flow-control credits of a receiver.
    Credits(Class, Pool),
    /// A replay buffer.
    Replay,
    /// From what begins a command of so many bytes to its first TLP.
    CommandStart(Bytes),
    /// Software between two commands of so many bytes.
    Software(Bytes),
    /// So long a wait for the descriptor of each page.
    Descriptors(Time),
    /// So many read requests of a card, all in flight.
    Requests(u64),
    /// So many loads of a CPU, all in flight.
    Loads(u64),
    /// Room for the completions of a card's reads.
    CompletionSpace,
    /// The CPU that fills write-combining lines.
    Stores,
    /// Write-combining lines that drain through the root port.
    Drain,
    /// What only one kind of part knows, in its words: as in `the sensor`.
    Own(&'static str),
}

impl Cause {
    /// The class of the loss budget that its time belongs to.
    pub fn wait(&self) -> Wait {
        match self {
            Cause::Transmit(_) => Wait::Arbitration,
            Cause::ReadRequests(_) | Cause::Requests(_) | Cause::CompletionSpace => Wait::Tags,
            Cause::Port(_) | Cause::Writes | Cause::ReadGap => Wait::Memory,
            Cause::Core | Cause::Fifo => Wait::Core,
            Cause::Credits(..) => Wait::Credits,
            Cause::Replay => Wait::Replay,
            Cause::CommandStart(_) => Wait::Command,
            Cause::Software(_) | Cause::Loads(_) | Cause::Stores => Wait::Software,
            Cause::Descriptors(_) => Wait::Descriptors,
            Cause::Drain => Wait::RootPort,
            Cause::Own(words) => Wait::own(words),
        }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Transmit(speed) => write!(f, "{speed}, transmit"),
            Cause::ReadRequests(speed) => write!(f, "{speed}, read requests"),
            Cause::Port(Some(rate)) => write!(f, "{:.0} MiB/s behind the port", rate.as_mib_per_s()),
            Cause::Port(None) => f.write_str("payload behind the port"),
            Cause::Core => f.write_str("datapath of the core"),
            Cause::Fifo => f.write_str("FIFO towards the link"),
            Cause::Writes => f.write_str("memory, service of writes"),
            Cause::ReadGap => f.write_str("time between two reads"),
            Cause::Credits(class, Pool::Header) => write!(f, "{class} header credits"),
            Cause::Credits(class, Pool::Data) => write!(f, "{class} data credits"),
            Cause::Replay => f.write_str("replay buffer"),
            Cause::CommandStart(bytes) => write!(f, "start of each command of {bytes}"),
            Cause::Software(bytes) => write!(f, "software between commands of {bytes}"),
            Cause::Descriptors(time) => write!(f, "{time} of descriptor wait a page"),
            Cause::Requests(1) | Cause::Loads(1) => f.write_str("one read request in flight"),
            Cause::Requests(n) | Cause::Loads(n) => write!(f, "{n} read requests in flight"),
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
    use std::collections::BTreeSet;

    #[test]
    fn has_every_wait_a_number_of_its_own() {
        Wait::own("the press");
        let numbers: Vec<usize> = Wait::all().map(Wait::index).collect();
        assert!(numbers.iter().all(|&number| number < Wait::COUNT), "{numbers:?}");
        assert_eq!(numbers.iter().collect::<BTreeSet<_>>().len(), numbers.len());
        assert!((0..Wait::KNOWN.len()).eq(Wait::KNOWN.iter().map(|wait| wait.index())));
    }

    #[test]
    fn are_the_same_words_of_a_kind_the_same_wait() {
        let (late, early) = (Wait::own("the sieve"), Wait::own("the oven"));
        assert_ne!(late, early);
        assert_eq!(Wait::own(String::from("the oven").leak()), early);
        assert_eq!(Cause::Own("the oven").wait(), early);
        assert_eq!(early.to_string(), "waits for the oven");
        let order: Vec<Wait> = Wait::all().filter(|&wait| wait == late || wait == early).collect();
        assert_eq!(order, [early, late], "by their words, whichever was said first");
    }
}
