//! Writes a trace during the run: a sink of the simulation, a file, and a thread between them that writes while the
//! simulation continues.

use crate::chosen::Chosen;
use crate::encode::Encode;
use crate::format::Format;
use crate::order::{Order, when};
use crate::pcapng::Pcapng;
use crate::perfetto::Perfetto;
use crate::requests::Requests;
use crate::symbols::Symbols;
use pcie::Time;
use sim::trace::{Record, Sink};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;
use system::graph::Direction;
use system::{LinkId, Scenario};

/// Batches of records that may be queued for the thread.
const AHEAD: usize = 16;
/// Bytes collected before a write.
const CHUNK: usize = 1 << 18;

/// The content of a finished trace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// TLPs written, one for each link that each TLP crossed.
    pub tlps: u64,
    /// DLLPs written.
    pub dllps: u64,
    /// Size of the file, bytes.
    pub bytes: u64,
}

/// Writes a trace of one run into a file.
pub struct Writer<W: Write> {
    /// The state before the run begins.
    before: Option<Before<W>>,
    /// From then on.
    work: Option<Work>,
    /// True where the format needs TLPs and DLLPs only.
    only_packets: bool,
}

struct Before<W> {
    file: W,
    what: What,
    about: String,
}

/// What is written.
enum What {
    Packets(Format, Chosen),
    Symbols(Direction),
}

/// The thread, and the channels to it and from it.
struct Work {
    records: SyncSender<Vec<Record>>,
    spent: Receiver<Vec<Record>>,
    thread: JoinHandle<io::Result<Summary>>,
}

impl<W: Write + Send + 'static> Writer<W> {
    /// A trace of packets; `about` describes the run and is written into the file. Symbols are of one direction, and
    /// [`Writer::symbols`] writes them.
    pub fn new(file: W, format: Format, chosen: Chosen, about: &str) -> Writer<W> {
        let before = Before { file, what: What::Packets(format, chosen), about: about.to_string() };
        Writer { before: Some(before), work: None, only_packets: format == Format::Pcapng }
    }

    /// Writes the symbols of one direction.
    pub fn symbols(file: W, on: Direction, about: &str) -> Writer<W> {
        let before = Before { file, what: What::Symbols(on), about: about.to_string() };
        Writer { before: Some(before), work: None, only_packets: true }
    }

    /// Ends the trace. The file is then complete.
    ///
    /// # Errors
    /// The first error in writing the file; a TLP that cannot be written in the format, as [`io::ErrorKind::InvalidData`].
    pub fn finish(self) -> io::Result<Summary> {
        let Some(Work { records, thread, .. }) = self.work else { return Ok(Summary::default()) };
        drop(records);
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread that writes the trace ended early")))
    }
}

impl<W: Write + Send + 'static> Sink for Writer<W> {
    fn begin(&mut self, scenario: &Scenario) {
        let Some(before) = self.before.take() else { return };
        let growing = Growing::new(before, scenario);
        let (records, work) = sync_channel(AHEAD);
        let (done, spent) = sync_channel(AHEAD);
        let thread = std::thread::spawn(move || growing.write(&work, &done));
        self.work = Some(Work { records, spent, thread });
    }

    fn only_packets(&self) -> bool {
        self.only_packets
    }

    fn take(&mut self, records: &mut Vec<Record>) -> ControlFlow<()> {
        let Some(work) = &self.work else { return ControlFlow::Continue(()) };
        let empty = work.spent.try_recv().unwrap_or_default();
        // The thread ends early only where the file cannot be written.
        match work.records.send(std::mem::replace(records, empty)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}

/// The file and the state of the trace so far, owned by the thread.
struct Growing<W> {
    file: W,
    order: Order,
    requests: Requests,
    /// By link.
    chosen: Vec<bool>,
    /// The only direction that is written, where there is only one.
    only: Option<Direction>,
    encoder: Box<dyn Encode>,
    last: Time,
    out: Vec<u8>,
    summary: Summary,
}

impl<W: Write> Growing<W> {
    fn new(before: Before<W>, scenario: &Scenario) -> Growing<W> {
        let Before { file, what, about } = before;
        let system = &scenario.system;
        let links = 0..system.links.len();
        let chosen: Vec<bool> = match &what {
            What::Packets(_, chosen) => links.map(|link| chosen.has(system, LinkId(link))).collect(),
            What::Symbols(on) => links.map(|link| link == on.link.0).collect(),
        };
        let only = if let What::Symbols(on) = what { Some(on) } else { None };
        let encoder: Box<dyn Encode> = match what {
            What::Packets(Format::Perfetto, _) => Box::new(Perfetto::new(scenario, &chosen, &about)),
            What::Packets(..) => Box::new(Pcapng::new(scenario, &chosen, &about)),
            What::Symbols(on) => Box::new(Symbols::new(scenario, on, &about)),
        };
        Growing {
            file,
            order: Order::default(),
            requests: Requests::new(system),
            chosen,
            only,
            encoder,
            last: Time::ZERO,
            out: Vec::with_capacity(2 * CHUNK),
            summary: Summary::default(),
        }
    }

    fn write(mut self, work: &Receiver<Vec<Record>>, done: &SyncSender<Vec<Record>>) -> io::Result<Summary> {
        self.encoder.begin(&mut self.out);
        for records in work {
            self.order.push(records);
            self.write_ripe(false)?;
            while let Some(mut records) = self.order.spent() {
                records.clear();
                // Where the way back is full, there are batches enough.
                let _ = done.try_send(records);
            }
        }
        self.write_ripe(true)?;
        self.encoder.end(&mut self.out, self.last, &self.requests.unanswered());
        self.flush()?;
        self.file.flush()?;
        Ok(self.summary)
    }

    fn write_ripe(&mut self, end: bool) -> io::Result<()> {
        let mut order = std::mem::take(&mut self.order);
        let mut failed = Ok(());
        order.ripe(end, |record| {
            if failed.is_ok() {
                failed = self.encode(record);
            }
            if self.out.len() >= CHUNK && failed.is_ok() {
                failed = self.flush();
            }
        });
        self.order = order;
        failed
    }

    fn flush(&mut self) -> io::Result<()> {
        self.summary.bytes += self.out.len() as u64;
        self.file.write_all(&self.out)?;
        self.out.clear();
        Ok(())
    }

    /// True where the packets of a direction are written.
    fn has(&self, on: Direction) -> bool {
        self.chosen[on.link.0] && self.only.is_none_or(|only| only == on)
    }

    fn encode(&mut self, record: &Record) -> io::Result<()> {
        match record {
            Record::Tlp(sent) => {
                self.summary.tlps += u64::from(self.has(sent.on));
                let identity = self.requests.identify(sent);
                let arrival = self.requests.arrival(sent);
                self.last = self.last.max(arrival);
                self.encoder.tlp(&mut self.out, sent, &identity, arrival)?;
            }
            Record::Dllp { on, end, .. } => {
                self.summary.dllps += u64::from(self.has(*on));
                self.last = self.last.max(*end);
                self.encoder.other(&mut self.out, record);
            }
            _ => {
                self.last = self.last.max(when(record));
                self.encoder.other(&mut self.out, record);
            }
        }
        Ok(())
    }
}
