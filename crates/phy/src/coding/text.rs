//! A few symbol times for a person: a column for each lane, and what begins there.

use crate::coding::code::{self, K, VIOLATION};
use crate::coding::event::{Event, Receiver, Row};
use crate::coding::receive::receive;
use crate::coding::stream::Stream;
use pcie::tlp::{Header, TlpKind};
use std::collections::BTreeMap;
use std::ops::Range;

/// So many symbol times of `stream` from `from` on, descrambled and in the order of the transmitter's lanes, as text. Without
/// `from`, they begin where data does, after training. Rows of zeros, idle or data, are told in one line.
pub fn clocks(stream: &Stream, from: Option<u64>, count: u64) -> String {
    let times = from.map(|from| from..from.saturating_add(count));
    let (rows, notes, sets) = Default::default();
    let mut clocks = Clocks { lanes: stream.width(), count, times, rows, notes, sets };
    receive(stream, &mut clocks);
    clocks.text()
}

struct Clocks {
    lanes: usize,
    count: u64,
    /// The times that are shown; `None` before the first that there is.
    times: Option<Range<u64>>,
    /// By symbol time: the sync header where a block begins, and the symbols.
    rows: BTreeMap<u64, (&'static str, Vec<String>)>,
    notes: BTreeMap<u64, Vec<String>>,
    sets: BTreeMap<u64, &'static str>,
}

impl Receiver for Clocks {
    fn event(&mut self, at: u64, event: Event<'_>) {
        if !self.times.as_ref().is_some_and(|times| times.contains(&at)) {
            return;
        }
        let note = match event {
            Event::Tlp { sequence, bytes } => format!("STP {sequence:#05x} {}", about(bytes)),
            Event::Dllp(bytes) => dllp(bytes),
            Event::Nullified => "STP, nullified".to_string(),
            Event::Symptom(symptom) => format!("! {}", symptom.word()),
            Event::Set(set) => {
                self.sets.insert(at, set.word());
                return;
            }
        };
        self.notes.entry(at).or_default().push(note);
    }

    fn symbols(&mut self, at: u64, row: Row<'_>) {
        let (header, symbols): (_, Vec<String>) = match row {
            Row::Codes(symbols) => ("", symbols.iter().map(|&symbol| name(symbol)).collect()),
            Row::Block { ordered, bytes } => {
                (if ordered { "01" } else { "10" }, bytes.iter().map(|byte| format!("{byte:02x}")).collect())
            }
        };
        let times = self.times.get_or_insert(at..at.saturating_add(self.count)).clone();
        for (time, symbols) in (at..).zip(symbols.chunks(self.lanes)) {
            if times.contains(&time) {
                self.rows.insert(time, (if time == at { header } else { "" }, symbols.to_vec()));
            }
        }
    }
}

impl Clocks {
    fn text(&self) -> String {
        let lanes: Vec<String> = (0..self.lanes).map(|lane| format!("{lane:>4}")).collect();
        let mut text = format!("{:>9}    {} | begins\n", "lane", lanes.join(""));
        let mut zeros: Option<(u64, u64)> = None;
        for (&time, (header, symbols)) in &self.rows {
            let is_zero =
                symbols.iter().all(|symbol| symbol == "00") && header.is_empty() && !self.notes.contains_key(&time);
            match (&mut zeros, is_zero) {
                (Some((_, last)), true) if *last + 1 == time => *last = time,
                (_, true) => {
                    text += &zeros_line(zeros.take());
                    zeros = Some((time, time));
                }
                (_, false) => {
                    text += &zeros_line(zeros.take());
                    text += &self.line(time, header, symbols);
                }
            }
        }
        text + &zeros_line(zeros)
    }

    fn line(&self, time: u64, header: &str, symbols: &[String]) -> String {
        let set = self.sets.get(&time).map(|set| set.to_uppercase());
        let notes: Vec<String> = set.into_iter().chain(self.notes.get(&time).cloned().unwrap_or_default()).collect();
        let symbols: String = symbols.iter().map(|symbol| format!("{symbol:>4}")).collect();
        format!("{time:>9} {header:>2} {symbols} | {}", notes.join(", ")).trim_end().to_string() + "\n"
    }
}

fn zeros_line(rows: Option<(u64, u64)>) -> String {
    match rows {
        Some((first, last)) if first == last => format!("{first:>9}    00\n"),
        Some((first, last)) => format!("{first:>9}    00 to {last}\n"),
        None => String::new(),
    }
}

/// A symbol of 8b/10b as the standard writes it.
fn name(symbol: u16) -> String {
    let known = match symbol & (VIOLATION | K | 0xff) {
        code::COM => "COM",
        code::STP => "STP",
        code::SDP => "SDP",
        code::END => "END",
        code::EDB => "EDB",
        code::PAD => "PAD",
        code::SKP => "SKP",
        code::FTS => "FTS",
        code::IDL => "IDL",
        code::EIE => "EIE",
        other if other & VIOLATION != 0 => "??",
        other if other & K != 0 => return format!("K{:02x}", other & 0xff),
        byte => return format!("{byte:02x}"),
    };
    known.to_string()
}

fn about(bytes: &[u8]) -> String {
    match Header::decode(bytes) {
        Ok(header) => {
            let kind = match header.kind() {
                TlpKind::MemoryRead => "MRd",
                TlpKind::MemoryWrite => "MWr",
                TlpKind::CompletionData => "CplD",
                TlpKind::Completion => "Cpl",
            };
            format!("{kind}, {} bytes", bytes.len())
        }
        Err(_) => format!("TLP, {} bytes", bytes.len()),
    }
}

fn dllp(bytes: [u8; 6]) -> String {
    match pcie::dllp::Dllp::decode(bytes) {
        Ok(pcie::dllp::Dllp::Ack(sequence)) => format!("SDP Ack {sequence:#05x}"),
        Ok(pcie::dllp::Dllp::Nak(sequence)) => format!("SDP Nak {sequence:#05x}"),
        Ok(pcie::dllp::Dllp::UpdateFc { class, header, data }) => format!("SDP UpdateFC {class} {header} {data}"),
        Err(_) => format!("SDP type {:#04x}", bytes[0]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::coding::{Options, Packet, TlpBytes, Transmitter};

    #[test]
    fn are_the_symbols_of_a_person_those_that_were_sent() {
        let mut bytes = vec![0x40, 0, 0, 1, 0, 0, 0, 0x0f, 0, 0, 0x10, 0];
        bytes.extend([1, 2, 3, 4]);
        let tlp = Packet::Tlp(TlpBytes { sequence: 0x1a, bytes: &bytes, nullified: false });
        let options = Options { skp_interval: Some(30), training: true };
        let text = |link: &str| {
            let mut transmitter = Transmitter::new(link.parse().unwrap(), options);
            let at = transmitter.training_times();
            transmitter.send(0, tlp).unwrap();
            transmitter.send(0, Packet::Dllp(pcie::dllp::Dllp::Ack(7).encode())).unwrap();
            transmitter.idle(4 * 48);
            clocks(&transmitter.take(), Some(at), 64)
        };
        let gen1 = text("gen1 x4");
        assert!(gen1.contains(" STP  00  1a  40 | STP 0x01a MWr, 16 bytes"), "{gen1}");
        assert!(gen1.contains(" SDP  00  00  00 | SDP Ack 0x007"), "{gen1}");
        assert!(gen1.contains(" COM COM COM COM | SKP"), "{gen1}");
        assert!(gen1.contains(" SKP SKP SKP SKP |"), "{gen1}");
        let gen3 = text("gen3 x4");
        assert!(gen3.contains("10   6f  80  20  1a | STP 0x01a MWr, 16 bytes"), "{gen3}");
        assert!(gen3.contains("  1f  80  90  00 |"), "{gen3}");
        assert!(gen3.contains("01   aa  aa  aa  aa | SKP"), "{gen3}");
    }
}
