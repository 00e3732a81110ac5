//! The controller's registers and its admin queues: what the bring-up of a drive meets (NVM Express Base Specification,
//! Controller Properties, Controller Initialization, Identify, Create I/O Queue).

use super::entry::Completion;
use super::params::{BLOCK_SHIFT, COMPLETION_BYTES, MOST_ENTRIES, NAMESPACE_BYTES, NvmeParams, SUBMISSION_BYTES};
use super::queue::QueuePair;
use crate::block::PAGE_BYTES;
use system::Window;

/// Offsets of properties: capabilities, configuration, status, and the admin queues' sizes and addresses.
pub(crate) const CAP: u64 = 0x00;
pub(crate) const CC: u64 = 0x14;
pub(crate) const CSTS: u64 = 0x1c;
pub(crate) const AQA: u64 = 0x24;
pub(crate) const ASQ: u64 = 0x28;
pub(crate) const ACQ: u64 = 0x30;
/// The end of those that are here.
const PROPERTIES: usize = 0x40;
/// CC: enabled, with entries of 2^6 and 2^4 bytes. CSTS: ready.
pub(crate) const ENABLE: u32 = 1 | 6 << 16 | 4 << 20;
const ENABLED: u32 = 1;
pub(crate) const READY: u32 = 1;
/// Opcodes of admin commands.
pub(crate) const CREATE_SUBMISSION: u8 = 0x01;
pub(crate) const CREATE_COMPLETION: u8 = 0x05;
pub(crate) const IDENTIFY: u8 = 0x06;
pub(crate) const SET_FEATURES: u8 = 0x09;
/// What is identified: a namespace or the controller (CNS).
pub(crate) const OF_NAMESPACE: u32 = 0;
pub(crate) const OF_CONTROLLER: u32 = 1;
/// Where the data of a controller has its largest transfer, as a power of two of pages, and its number of namespaces.
pub(crate) const MDTS: usize = 77;
pub(crate) const NAMESPACES: usize = 516;
/// Where the data of a namespace has the format of its blocks: log2 of their bytes.
const BLOCK_FORMAT: usize = 128 + 2;
/// The end of its blocks: size, capacity and use, 8 bytes each.
const SIZES: usize = 24;

/// See the module.
#[derive(Debug)]
pub(crate) struct Admin {
    properties: [u8; PROPERTIES],
    /// Places in the admin queues, which count on: the tail that software told, what was fetched, and completed.
    tail: u32,
    asked: u32,
    completed: u32,
    /// Of each pair: whether its completion and its submission queue have been created.
    created: Vec<(bool, bool)>,
}

/// What an admin command asks for.
pub(crate) enum Done {
    /// Data for host memory, which a completion follows.
    Data(u64, Vec<u8>),
    /// Nothing but its completion.
    Nothing,
    /// A queue of this pair lies where the pair now says.
    Created(usize, QueuePair),
}

impl Admin {
    /// A disabled controller with so many pairs of queues.
    pub fn new(pairs: usize) -> Admin {
        let mut properties = [0; PROPERTIES];
        // Queues of MQES + 1 entries, contiguous; ready within TO x 500 ms; doorbells 4 bytes apart; the NVM command set.
        let cap = (MOST_ENTRIES - 1) | 1 << 16 | 20 << 24 | 1 << 37;
        properties[..8].copy_from_slice(&cap.to_le_bytes());
        properties[8..12].copy_from_slice(&0x0002_0000u32.to_le_bytes());
        Admin { properties, tail: 0, asked: 0, completed: 0, created: vec![(false, false); pairs] }
    }

    fn number(&self, at: u64, bytes: usize) -> u64 {
        let at = at as usize;
        self.properties[at..at + bytes].iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    /// Bytes of a property, as a load finds them.
    pub fn load(&self, at: u64, bytes: usize) -> Box<[u8]> {
        (at as usize..at as usize + bytes).map(|at| self.properties.get(at).copied().unwrap_or(0)).collect()
    }

    /// Software has stored to a property. True where it has enabled the controller.
    pub fn store(&mut self, at: u64, data: &[u8]) -> bool {
        let before = self.number(CC, 4) as u32 & ENABLED;
        if let Some(property) = self.properties.get_mut(at as usize..at as usize + data.len()) {
            property.copy_from_slice(data);
        }
        let after = self.number(CC, 4) as u32 & ENABLED;
        if after == 0 {
            (self.tail, self.asked, self.completed) = (0, 0, 0);
            self.created.fill((false, false));
            self.properties[CSTS as usize] = 0;
        }
        before == 0 && after != 0
    }

    /// The controller is ready, if it is still enabled.
    pub fn ready(&mut self) {
        self.properties[CSTS as usize] = if self.number(CC, 4) as u32 & ENABLED != 0 { READY as u8 } else { 0 };
    }

    /// Entries of the admin queues: both have as many.
    fn entries(&self) -> u32 {
        (self.number(AQA, 4) as u32 & 0xfff) + 1
    }

    /// Software has told the tail of the admin submission queue.
    pub fn rung(&mut self, tail: u32) {
        let entries = self.entries();
        self.tail = self.tail.wrapping_add(tail.wrapping_sub(self.tail) % entries);
    }

    /// Where the next entry is that has not been asked for.
    pub fn next(&mut self) -> Option<u64> {
        if self.asked == self.tail {
            return None;
        }
        let at = self.number(ASQ, 8) + u64::from(self.asked % self.entries()) * SUBMISSION_BYTES;
        self.asked = self.asked.wrapping_add(1);
        Some(at)
    }

    /// The next completion entry, and its address.
    pub fn complete(&mut self, identifier: u16) -> (u64, Box<[u8]>) {
        let entries = self.entries();
        let phase = (self.completed / entries).is_multiple_of(2);
        let at = self.number(ACQ, 8) + u64::from(self.completed % entries) * COMPLETION_BYTES;
        self.completed = self.completed.wrapping_add(1);
        let entry = Completion { head: (self.asked % entries) as u16, queue: 0, identifier, phase, status: 0 };
        (at, Box::new(entry.encode()))
    }

    /// True where both queues of a pair have been created.
    pub fn has_created(&self, pair: usize) -> bool {
        self.created.get(pair) == Some(&(true, true))
    }

    /// Does what an entry says.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn execute(&mut self, entry: &[u8], params: &NvmeParams, pairs: &[QueuePair]) -> Result<Done, String> {
        let word =
            |at: usize| entry.get(at..at + 4).and_then(|four| four.try_into().ok()).map_or(0, u32::from_le_bytes);
        let (namespace, prp, ten, eleven) =
            (word(4), u64::from(word(24)) | u64::from(word(28)) << 32, word(40), word(44));
        let opcode = entry.first().copied().unwrap_or(0xff);
        match opcode {
            IDENTIFY if ten == OF_CONTROLLER => {
                let mut data = vec![0; PAGE_BYTES as usize];
                data[MDTS] = (params.mdts.0 / PAGE_BYTES).next_power_of_two().trailing_zeros() as u8;
                data[NAMESPACES..NAMESPACES + 4].copy_from_slice(&(params.namespaces.0 as u32).to_le_bytes());
                Ok(Done::Data(prp, data))
            }
            IDENTIFY if (1..=params.namespaces.0).contains(&u64::from(namespace)) => {
                let mut data = vec![0; PAGE_BYTES as usize];
                for counts in data[..SIZES].chunks_exact_mut(8) {
                    counts.copy_from_slice(&(NAMESPACE_BYTES >> BLOCK_SHIFT).to_le_bytes());
                }
                data[BLOCK_FORMAT] = BLOCK_SHIFT;
                Ok(Done::Data(prp, data))
            }
            IDENTIFY => Err(format!("software identifies namespace {namespace}, which it has not")),
            SET_FEATURES => Ok(Done::Nothing),
            CREATE_COMPLETION | CREATE_SUBMISSION => {
                let (number, entries) = ((ten & 0xffff) as usize, (ten >> 16) + 1);
                let place = number.wrapping_sub(1);
                let (Some(pair), Some(created)) = (pairs.get(place), self.created.get_mut(place)) else {
                    return Err(format!("software creates queue {number}, which it has not"));
                };
                if pair.is_found {
                    let pair = found(pair, (opcode, prp), entries, created.0)?;
                    *(if opcode == CREATE_COMPLETION { &mut created.0 } else { &mut created.1 }) = true;
                    return Ok(Done::Created(place, pair));
                }
                let (base, first) = match opcode {
                    CREATE_COMPLETION => (pair.completion.base, &mut created.0),
                    _ => (pair.submission.base, &mut created.1),
                };
                let completes_to = (opcode == CREATE_SUBMISSION).then_some(eleven >> 16);
                if (base, pair.entries) != (prp, entries) || completes_to.is_some_and(|other| other as usize != number)
                {
                    return Err(format!("software creates queue {number} of {entries} entries in another place"));
                }
                *first = true;
                Ok(Done::Nothing)
            }
            other => Err(format!("it got the admin command {other:#x}, which it does not know")),
        }
    }
}

/// A pair of which a queue of `entries` is created at `base`. The completion queue comes first.
///
/// # Errors
/// Queues that the drive cannot work with.
fn found(
    pair: &QueuePair,
    (opcode, base): (u8, u64),
    entries: u32,
    has_completions: bool,
) -> Result<QueuePair, String> {
    if !entries.is_power_of_two() || !base.is_multiple_of(PAGE_BYTES) {
        return Err(format!(
            "a queue of {entries} entries is created at {base:#x}: it takes powers of two, and whole pages"
        ));
    }
    let (submissions, completions) = QueuePair::bytes(entries);
    match opcode {
        CREATE_COMPLETION => Ok(QueuePair { completion: Window { base, bytes: completions }, entries, ..*pair }),
        _ if !has_completions => Err("a submission queue is created before its completion queue".into()),
        _ if entries != pair.entries => {
            Err(format!("a submission queue of {entries} entries is created for {} completions", pair.entries))
        }
        _ => Ok(QueuePair { submission: Window { base, bytes: submissions }, ..*pair }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use queues::Flows;

    fn pair() -> QueuePair {
        let window = |base| Window { base, bytes: 4096 };
        QueuePair {
            flows: Flows { reads: 0, writes: 0 },
            in_order: false,
            in_drive: false,
            is_found: false,
            submission: window(0x1000),
            completion: window(0x2000),
            entries: 16,
            doorbell: 0,
            message: None,
        }
    }

    /// Opcode, namespace, address, and words 10 and 11.
    fn entry(opcode: u8, namespace: u32, prp: u64, ten: u32, eleven: u32) -> Vec<u8> {
        let mut entry = vec![0; 64];
        entry[0] = opcode;
        entry[4..8].copy_from_slice(&namespace.to_le_bytes());
        entry[24..32].copy_from_slice(&prp.to_le_bytes());
        entry[40..44].copy_from_slice(&ten.to_le_bytes());
        entry[44..48].copy_from_slice(&eleven.to_le_bytes());
        entry
    }

    #[test]
    fn is_a_controller_ready_only_while_it_is_enabled() {
        let mut admin = Admin::new(1);
        let status = |admin: &Admin| u32::from(admin.load(CSTS, 4)[0]);
        assert!(admin.store(CC, &ENABLE.to_le_bytes()));
        assert_eq!(status(&admin), 0, "it takes its time");
        admin.ready();
        assert_eq!(status(&admin), READY);
        assert!(!admin.store(CC, &ENABLE.to_le_bytes()), "it was enabled before");
        assert!(!admin.store(CC, &0u32.to_le_bytes()));
        admin.ready();
        assert_eq!(status(&admin), 0);
    }

    #[test]
    fn are_queues_created_where_they_lie_and_wrong_commands_refused() {
        let (params, pairs, mut admin) = (NvmeParams::default(), [pair()], Admin::new(1));
        let mut told = |entry: Vec<u8>| admin.execute(&entry, &params, &pairs).err().unwrap_or_default();
        assert!(told(entry(CREATE_COMPLETION, 0, 0x3000, 15 << 16 | 1, 3)).contains("another place"));
        assert!(told(entry(CREATE_COMPLETION, 0, 0x2000, 15 << 16 | 2, 3)).contains("queue 2, which it has not"));
        assert!(told(entry(CREATE_SUBMISSION, 0, 0x1000, 15 << 16 | 1, 2 << 16 | 1)).contains("another place"));
        assert!(told(entry(IDENTIFY, 2, 0, OF_NAMESPACE, 0)).contains("namespace 2"));
        assert!(told(entry(0x7f, 0, 0, 0, 0)).contains("0x7f"));
        assert_eq!(told(entry(CREATE_COMPLETION, 0, 0x2000, 15 << 16 | 1, 3)), "");
        assert!(!admin.has_created(0));
        let created = admin.execute(&entry(CREATE_SUBMISSION, 0, 0x1000, 15 << 16 | 1, 1 << 16 | 1), &params, &pairs);
        assert!(created.is_ok() && admin.has_created(0) && !admin.has_created(1));
    }

    #[test]
    fn does_a_drive_say_its_largest_transfer_and_its_namespaces() {
        let (params, mut admin) = (NvmeParams::default(), Admin::new(1));
        let found = admin.execute(&entry(IDENTIFY, 0, 0x5000, OF_CONTROLLER, 0), &params, &[pair()]);
        let Ok(Done::Data(0x5000, data)) = found else { panic!("no data") };
        assert_eq!((4096 << data[MDTS], data[NAMESPACES]), (1 << 20, 1));
    }
}
