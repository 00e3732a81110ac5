//! A thread of a device's software, on its way from step to step.

use crate::engine::answer::{RequestOf, request};
use crate::engine::tlp::{Held, Use};
use crate::link::exit::Exit;
use crate::link::fabric::Fabric;
use crate::software::driver::{Ask, Driver, Seen};
use crate::software::store::HostMemory;
use pcie::Time;
use system::Wait;

/// See the module.
#[derive(Debug)]
pub(crate) struct Running {
    /// Whose it is, and which of its threads.
    pub software: u32,
    pub number: u32,
    /// Its place among the threads of its host.
    pub place: u32,
    /// For which flow its accesses are counted.
    pub flow: u32,
    pub exit: Exit,
    /// The part that it drives; its host, and the wake-up of this thread.
    pub device: u32,
    pub part: u32,
    pub token: u32,
    /// True where interrupts tell it something.
    pub interrupted: bool,
    pub asleep: bool,
    pub told: bool,
    /// Bytes of the load that it waits for.
    pub awaits: u64,
    /// The most payload of a store.
    pub mps: u64,
}

/// Steps at one instant at most.
const STEPS: u32 = 1 << 20;
/// What a load may ask for, within as many bytes of address.
const LOAD_BYTES: u64 = 8;

impl Running {
    /// Goes on until the thread waits for something.
    pub fn step(
        &mut self,
        driver: &mut dyn Driver,
        fabric: &mut Fabric,
        memory: &mut HostMemory,
        bus_free: &mut Time,
        mut seen: Seen,
    ) {
        for _ in 0..STEPS {
            match driver.next(self.number, seen, memory) {
                Ask::Spend(time) => return self.resume_at(fabric, fabric.now + time),
                Ask::Turn(time) => {
                    let begins = (*bus_free).max(fabric.now);
                    *bus_free = begins + time;
                    if begins > fabric.now {
                        return self.resume_at(fabric, begins);
                    }
                }
                Ask::Store { address, data } if (1..=self.mps).contains(&(data.len() as u64)) => {
                    let bytes = data.len() as u64;
                    self.access(fabric, Use::Register, address, (bytes, 0), Some(data));
                }
                Ask::Ring { address, bytes } if (1..=self.mps).contains(&bytes) => {
                    self.access(fabric, Use::Doorbell, address, (bytes, 0), None);
                }
                Ask::Load { address, bytes } if bytes > 0 && address % LOAD_BYTES + bytes <= LOAD_BYTES => {
                    self.awaits = bytes;
                    return self.access(fabric, Use::Register, address, (0, bytes), None);
                }
                Ask::Sleep if std::mem::take(&mut self.told) => {}
                Ask::Sleep => {
                    self.asleep = true;
                    return;
                }
                Ask::Timed { flow, latency } if fabric.flows.is_one(flow) => fabric.flows.timed(flow, latency),
                Ask::End { flow, wrong } if fabric.flows.is_one(flow) && !fabric.flows.has_ended(flow) => {
                    fabric.flows.accounts[flow as usize].wrong += wrong;
                    fabric.flows.ended(flow, fabric.now);
                }
                Ask::Leave => return,
                ask => {
                    let what = format!(
                        "its software asks for {ask:?}: a flow that there is not or that has ended, a load of no bytes or of \
                         more than the 8 that begin at a multiple of 8, or a store of none or more than {} bytes",
                        self.mps
                    );
                    return self.fault(fabric, what);
                }
            }
            seen = Seen::Done;
        }
        self.fault(fabric, "its software comes to no end at one instant".to_string());
    }

    /// The software has broken its contract: the run ends.
    fn fault(&self, fabric: &mut Fabric, what: String) {
        fabric.fault.get_or_insert(Box::new((self.device, what)));
    }

    /// The device has told something; true where the thread slept and goes on.
    pub fn tell(&mut self) -> bool {
        self.told = !self.asleep;
        std::mem::take(&mut self.asleep)
    }

    fn resume_at(&self, fabric: &mut Fabric, at: Time) {
        fabric.wake(self.part, self.token, at);
    }

    /// A store of `bytes`, or a load of what it `asks` for.
    fn access(&self, fabric: &mut Fabric, used: Use, address: u64, (bytes, asks): (u64, u64), data: Option<Box<[u8]>>) {
        let of = RequestOf {
            used,
            flow: self.flow,
            offset: 0,
            requester: self.exit.requester,
            tag: self.place,
            born: fabric.now,
            ready: fabric.now,
            held: Held::new(Wait::Software, fabric.now),
            notify: false,
        };
        let mut tlp = request(of, address, bytes, asks);
        tlp.data = data;
        fabric.enqueue(self.exit.direction, self.exit.source, tlp);
    }
}
