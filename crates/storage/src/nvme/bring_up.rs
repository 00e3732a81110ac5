//! What a driver does before the first command: registers, admin queues, and the queues of all jobs (NVM Express Base
//! Specification, Memory-based Controller Initialization).

use super::admin::{
    ACQ, AQA, ASQ, CAP, CC, CREATE_COMPLETION, CREATE_SUBMISSION, CSTS, ENABLE, IDENTIFY, OF_CONTROLLER, OF_NAMESPACE,
    READY, SET_FEATURES,
};
use super::entry::Completion;
use super::params::{COMPLETION_BYTES, DOORBELL_BYTES, DOORBELLS, SUBMISSION_BYTES};
use super::queue::QueuePair;
use pcie::Time;
use queues::Opening;
use sim::{Ask, HostMemory, Seen};
use std::collections::VecDeque;
use system::Window;

/// Entries of each of the admin queues.
pub(crate) const ADMIN_ENTRIES: u32 = 32;
/// From one look at the status to the next.
const LOOKS: Time = Time::from_us(100);
/// Features: the number of queues.
const NUMBER_OF_QUEUES: u32 = 0x07;

/// A step.
#[derive(Clone, Copy, Debug)]
enum Do {
    /// Stores to a register.
    Store(u64, u64, usize),
    /// Loads a register, whatever it says.
    Load(u64),
    /// Loads the status until it is this.
    Until(u32),
    /// Gives an admin command: opcode, namespace, address of its data or queue, and the words 10 and 11.
    Admin(u8, u32, u64, u32, u32),
}

/// Where an admin command is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Given {
    No,
    Waits,
    Seen,
}

/// See the module.
#[derive(Debug)]
pub(crate) struct BringUp {
    registers: u64,
    /// The admin queues.
    queues: (Window, Window),
    steps: VecDeque<Do>,
    loads: bool,
    given: Given,
    /// Admin commands given.
    count: u32,
}

impl BringUp {
    /// Memory that it needs of the host: both admin queues, and a page for what is identified.
    pub const MEMORY: (u64, u64) = (ADMIN_ENTRIES as u64 * SUBMISSION_BYTES, ADMIN_ENTRIES as u64 * COMPLETION_BYTES);

    /// The bring-up of a drive with `registers`, so many namespaces, and the queues `pairs`.
    pub fn new(
        registers: u64,
        queues: (Window, Window),
        page: Window,
        namespaces: u32,
        pairs: &[QueuePair],
    ) -> BringUp {
        let sizes = u64::from(ADMIN_ENTRIES - 1) << 16 | u64::from(ADMIN_ENTRIES - 1);
        let mut steps = VecDeque::from([
            Do::Load(CAP),
            Do::Store(CC, 0, 4),
            Do::Until(0),
            Do::Store(AQA, sizes, 4),
            Do::Store(ASQ, queues.0.base, 8),
            Do::Store(ACQ, queues.1.base, 8),
            Do::Store(CC, u64::from(ENABLE), 4),
            Do::Until(READY),
            Do::Admin(IDENTIFY, 0, page.base, OF_CONTROLLER, 0),
        ]);
        steps.extend((1..=namespaces).map(|one| Do::Admin(IDENTIFY, one, page.base, OF_NAMESPACE, 0)));
        let count = pairs.len() as u32 - 1;
        steps.push_back(Do::Admin(SET_FEATURES, 0, 0, NUMBER_OF_QUEUES, count << 16 | count));
        for (number, pair) in (1..).zip(pairs) {
            let size = (pair.entries - 1) << 16 | number;
            // Contiguous, with an interrupt; then contiguous, and completed in the queue of the same number.
            steps.push_back(Do::Admin(CREATE_COMPLETION, 0, pair.completion.base, size, number << 16 | 0b11));
            steps.push_back(Do::Admin(CREATE_SUBMISSION, 0, pair.submission.base, size, number << 16 | 0b01));
        }
        BringUp { registers, queues, steps, loads: false, given: Given::No, count: 0 }
    }

    fn doorbell(&self, of_completions: bool) -> Ask {
        let address = self.registers + DOORBELLS + if of_completions { DOORBELL_BYTES } else { 0 };
        Ask::Store { address, data: Box::new((self.count % ADMIN_ENTRIES).to_le_bytes()) }
    }

    /// The next ask of an admin command; `None` where it is over.
    fn admin(&mut self, entry: [u8; SUBMISSION_BYTES as usize], memory: &mut HostMemory) -> Option<Ask> {
        match self.given {
            Given::No => {
                let place = u64::from(self.count % ADMIN_ENTRIES);
                memory.write(self.queues.0.base + place * SUBMISSION_BYTES, &entry);
                (self.given, self.count) = (Given::Waits, self.count + 1);
                Some(self.doorbell(false))
            }
            Given::Waits => {
                let before = self.count - 1;
                let at = self.queues.1.base + u64::from(before % ADMIN_ENTRIES) * COMPLETION_BYTES;
                let phase = Completion::decode(memory.word(at + 8)).phase;
                if phase != (before / ADMIN_ENTRIES).is_multiple_of(2) {
                    return Some(Ask::Sleep);
                }
                self.given = Given::Seen;
                Some(self.doorbell(true))
            }
            Given::Seen => {
                self.given = Given::No;
                None
            }
        }
    }
}

impl Opening for BringUp {
    fn next(&mut self, seen: &Seen, memory: &mut HostMemory) -> Option<Ask> {
        loop {
            let ask = match *self.steps.front()? {
                Do::Store(at, value, bytes) => {
                    self.steps.pop_front();
                    let data = value.to_le_bytes()[..bytes].into();
                    return Some(Ask::Store { address: self.registers + at, data });
                }
                Do::Load(at) => {
                    self.steps.pop_front();
                    return Some(Ask::Load { address: self.registers + at, bytes: 8 });
                }
                Do::Until(status) => match (std::mem::take(&mut self.loads), seen) {
                    (true, Seen::Loaded(data)) if data.first().map(|&byte| u32::from(byte)) == Some(status) => None,
                    (true, _) => return Some(Ask::Spend(LOOKS)),
                    (false, _) => {
                        self.loads = true;
                        return Some(Ask::Load { address: self.registers + CSTS, bytes: 4 });
                    }
                },
                Do::Admin(opcode, namespace, prp, ten, eleven) => {
                    let mut entry = [0; SUBMISSION_BYTES as usize];
                    entry[0] = opcode;
                    entry[2..4].copy_from_slice(&(self.count as u16).to_le_bytes());
                    entry[4..8].copy_from_slice(&namespace.to_le_bytes());
                    entry[24..32].copy_from_slice(&prp.to_le_bytes());
                    entry[40..44].copy_from_slice(&ten.to_le_bytes());
                    entry[44..48].copy_from_slice(&eleven.to_le_bytes());
                    self.admin(entry, memory)
                }
            };
            if ask.is_some() {
                return ask;
            }
            self.steps.pop_front();
        }
    }
}
