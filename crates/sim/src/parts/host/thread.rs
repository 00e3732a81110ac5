//! A running thread of device software.

use crate::engine::tlp::{Held, Purpose};
use crate::parts::PartContext;
use crate::parts::exit::{Decided, Exit};
use crate::parts::host::iommu::Iommu;
use crate::parts::traffic::{Label, Payload};
use crate::software::driver::{Ask, Driver, Seen};
use crate::software::store::HostMemory;
use pcie::Time;
use system::{PartId, Wait};

/// See the module.
#[derive(Debug)]
pub(crate) struct Running {
    /// The software it belongs to, and its number there.
    pub software: u32,
    pub number: u32,
    /// Its number among all threads of the host.
    pub place: u16,
    /// The flow that its accesses are counted for.
    pub flow: u32,
    pub exit: Exit,
    /// The part that it drives.
    pub device: PartId,
    /// The wake-up token of this thread.
    pub token: u32,
    /// True where interrupts signal it.
    pub interrupted: bool,
    /// True where it has no core of its own, and takes one of [`Shared::cores`] while it spends time.
    pub shares_cores: bool,
    pub asleep: bool,
    pub told: bool,
    /// Bytes of the load that it waits for.
    pub awaits: u64,
    /// The largest payload of a store, bytes.
    pub mps: u64,
}

/// What the threads of a host share.
#[derive(Debug)]
pub(crate) struct Shared<'a> {
    /// When the bus is free, over which threads write their descriptors one after another.
    pub bus_free: &'a mut Time,
    /// When each core is free that several threads take in turn.
    pub cores: &'a mut [Time],
    pub iommu: &'a mut Option<Iommu>,
}

/// The largest number of steps that a thread may take without any time passing.
const STEPS: u32 = 1 << 20;
/// A load must lie within an aligned block of this many bytes.
const LOAD_BYTES: u64 = 8;

impl Running {
    /// Lets the thread take steps until it has to wait.
    pub fn step(
        &mut self,
        driver: &mut dyn Driver,
        context: &mut PartContext<'_>,
        memory: &mut HostMemory,
        shared: Shared<'_>,
        mut seen: Seen,
    ) {
        for _ in 0..STEPS {
            let now = context.now();
            match driver.next(self.number, seen, memory) {
                Ask::Spend(time) => {
                    context.spent(self.flow, time);
                    let core = shared.cores.iter_mut().filter(|_| self.shares_cores).min();
                    let begins = core.as_ref().map_or(now, |free| now.max(**free));
                    if let Some(free) = core {
                        *free = begins + time;
                    }
                    return context.wake(self.token, begins + time);
                }
                Ask::Turn(time) => {
                    let begins = now.max(*shared.bus_free);
                    *shared.bus_free = begins + time;
                    if begins > now {
                        return context.wake(self.token, begins);
                    }
                }
                Ask::Store { address, data } if (1..=self.mps).contains(&(data.len() as u64)) => {
                    context.send(self.exit.write(self.decided(Purpose::Register, now), address, Payload::Bytes(data)));
                }
                Ask::Ring { address, bytes } if (1..=self.mps).contains(&bytes) => {
                    let data = Payload::Length(bytes as u32);
                    context.send(self.exit.write(self.decided(Purpose::Doorbell, now), address, data));
                }
                Ask::Load { address, bytes } if bytes > 0 && address % LOAD_BYTES + bytes <= LOAD_BYTES => {
                    self.awaits = bytes;
                    return context.send(self.exit.read(
                        self.decided(Purpose::Register, now),
                        address,
                        bytes,
                        self.place,
                    ));
                }
                Ask::Invalidate { flow } => {
                    if let Some(iommu) = shared.iommu {
                        iommu.forget(flow);
                    }
                }
                Ask::Clock => {
                    seen = Seen::Now(now);
                    continue;
                }
                Ask::Sleep if std::mem::take(&mut self.told) => {}
                Ask::Sleep => {
                    self.asleep = true;
                    return;
                }
                Ask::Timed { flow, latency } if context.has_flow(flow) => context.timed(flow, latency),
                Ask::Failed { flow, bytes } if context.has_flow(flow) => context.failed(flow, bytes),
                Ask::End { flow, wrong } if context.has_flow(flow) && !context.has_ended(flow) => {
                    context.found_wrong(flow, wrong);
                    context.ended(flow, now);
                }
                Ask::Leave => return,
                ask => {
                    return context.refuse_of(self.device, || {
                        format!(
                            "its software asks for {ask:?}: a flow that there is not or that has ended, a load of no bytes or \
                             of more than the 8 that begin at a multiple of 8, or a store of none or more than {} bytes",
                            self.mps
                        )
                    });
                }
            }
            seen = Seen::Done;
        }
        context.refuse_of(self.device, || "its software comes to no end at one instant".to_string());
    }

    /// The device has signalled the thread. True where it was asleep and continues.
    pub fn tell(&mut self) -> bool {
        self.told = !self.asleep;
        std::mem::take(&mut self.asleep)
    }

    /// The label and times of a register access decided at `now`.
    fn decided(&self, purpose: Purpose, now: Time) -> Decided {
        let label = Label { flow: self.flow, purpose, offset: 0 };
        Decided { label, born: now, ready: now, held: Held::new(Wait::Software, now), tell: false, last: true }
    }
}
