//! What the device counts, and the faults that it is to make. The guest sees both in configuration space
//! ([`crate::config`]), so that looking at them counts as no access to a register.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A fault that the device makes a number of times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fault {
    /// A read request of the engine for data is answered with Unsupported Request.
    UnsupportedRequest = 1,
    /// With Completer Abort.
    CompleterAbort = 2,
    /// Not at all.
    NoAnswer = 3,
    /// An MSI-X message is lost.
    LostInterrupt = 4,
    /// The process ends.
    Exit = 5,
    /// A read of descriptors is answered with Unsupported Request.
    NoDescriptors = 6,
    /// A completion with data is poisoned.
    Poisoned = 7,
    /// The engine stops at a request that it would have sent: no clock, no answer, until a reset.
    Stops = 8,
    /// A channel says for ever that it is busy, from its next answer on, until a reset.
    NeverIdle = 9,
    /// The card is not there, as long as this fault is set: configuration space and BARs read all ones, and nothing leaves it.
    /// It comes back as after power-up.
    Gone = 10,
    /// The first descriptor of a fetch says that it has no bytes.
    BadDescriptor = 11,
    /// As long as this fault is set, a channel that is aborted says for [`SLOW`] that it is busy: that whose registers begin at
    /// 256 times the number of times.
    SlowIdle = 12,
    /// As long as this fault is set, channels say that they are busy, and Bus Master Enable cannot be cleared.
    HoldsBus = 13,
    /// As long as this fault is set, what the engine writes is late, and answers to loads of its registers are not
    /// ([`crate::late`]).
    LateWrites = 14,
}

/// How long an abort takes with [`Fault::SlowIdle`].
pub const SLOW: Duration = Duration::from_millis(700);

/// See the module.
#[derive(Debug, Default)]
pub struct Counters {
    /// Loads from BAR 0.
    pub loads: AtomicU32,
    /// Stores to BAR 0.
    pub stores: AtomicU32,
    /// Stores among them to the tail register of a channel.
    pub doorbells: AtomicU32,
    /// MSI-X messages sent.
    pub messages: AtomicU32,
    /// Bits 7:0 the fault, bits 15:8 how many times.
    pub fault: AtomicU32,
    /// Attributes of the engine's memory requests since the guest has cleared them, all of them together: bits 2:0 of reads,
    /// bits 10:8 of writes, each ID-based ordering, relaxed ordering, no snoop.
    pub attributes: AtomicU32,
    /// Requests and interrupts that the guest's IOMMU has blocked.
    pub blocked: AtomicU32,
}

/// Tail register of a channel: `0x118 + 0x400 k` and `0x218 + 0x400 k`, or any word of a doorbell page.
fn is_tail(offset: u64) -> bool {
    (0x2000..0x8000).contains(&offset)
        || offset < 0x2000 && offset & 0xff == 0x18 && matches!(offset & 0x3ff, 0x118 | 0x218) && offset >> 10 != 4
}

impl Counters {
    /// The guest loads from BAR 0.
    pub fn load(&self) {
        self.loads.fetch_add(1, Ordering::Relaxed);
    }

    /// The guest stores at that offset of BAR 0.
    pub fn store(&self, offset: u64) {
        self.stores.fetch_add(1, Ordering::Relaxed);
        self.doorbells.fetch_add(u32::from(is_tail(offset)), Ordering::Relaxed);
    }

    /// The engine sends a TLP that begins with that double word.
    pub fn sent(&self, first: u32) {
        let place = match first >> 24 {
            0x00 | 0x20 => 0,
            0x40 | 0x60 => 8,
            _ => return,
        };
        let attributes = first >> 12 & 3 | (first >> 18 & 1) << 2;
        self.attributes.fetch_or(attributes << place, Ordering::Relaxed);
    }

    /// The IOMMU has blocked a request.
    pub fn block(&self) {
        self.blocked.fetch_add(1, Ordering::Relaxed);
    }

    /// True as long as that fault is set.
    pub fn lasts(&self, fault: Fault) -> bool {
        let now = self.fault.load(Ordering::Relaxed);
        now & 0xff == fault as u32 && now >> 8 & 0xff != 0
    }

    /// True as long as that channel takes its time to be idle.
    pub fn slow(&self, channel: u64) -> bool {
        let now = self.fault.load(Ordering::Relaxed);
        now & 0xff == Fault::SlowIdle as u32 && u64::from(now & 0xff00) == channel
    }

    /// True as long as the card is not there.
    pub fn gone(&self) -> bool {
        self.lasts(Fault::Gone)
    }

    /// True where this fault is to be made now; it is one less then.
    pub fn strikes(&self, fault: Fault) -> bool {
        let now = self.fault.load(Ordering::Relaxed);
        if now & 0xff != fault as u32 || now >> 8 & 0xff == 0 {
            return false;
        }
        self.fault.compare_exchange(now, now - 0x100, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_doorbell_a_store_to_a_tail_register_and_nothing_else() {
        let counters = Counters::default();
        for offset in [0x118, 0x218, 0x518, 0x618, 0x318, 0x108, 0x1018, 0x1118, 0x8118, 0x2000, 0x7ff8] {
            counters.store(offset);
        }
        assert_eq!((counters.stores.into_inner(), counters.doorbells.into_inner()), (11, 6));
    }

    #[test]
    fn are_attributes_of_reads_and_writes_gathered_apart() {
        let counters = Counters::default();
        for first in [0x2000_0001 | 1 << 13, 0x0000_0001 | 1 << 18, 0x6000_0001 | 1 << 12, 0x4a00_0001 | 3 << 12] {
            counters.sent(first);
        }
        assert_eq!(counters.attributes.into_inner(), 0x106);
    }

    #[test]
    fn is_a_card_gone_until_the_fault_is_taken_back() {
        let counters = Counters::default();
        assert!(!counters.gone());
        counters.fault.store(1 << 8 | Fault::Gone as u32, Ordering::Relaxed);
        assert!(counters.gone() && counters.gone());
        counters.fault.store(0, Ordering::Relaxed);
        assert!(!counters.gone());
    }

    #[test]
    fn is_one_channel_slow_and_the_card_not_gone() {
        let counters = Counters::default();
        counters.fault.store(6 << 8 | Fault::SlowIdle as u32, Ordering::Relaxed);
        assert_eq!([0x200, 0x600].map(|channel| counters.slow(channel)), [false, true]);
        assert!(!counters.gone() && !counters.lasts(Fault::HoldsBus));
    }

    #[test]
    fn does_a_fault_strike_as_often_as_asked() {
        let counters = Counters::default();
        counters.fault.store(2 << 8 | Fault::NoAnswer as u32, Ordering::Relaxed);
        let struck =
            [Fault::NoAnswer, Fault::LostInterrupt, Fault::NoAnswer, Fault::NoAnswer].map(|f| counters.strikes(f));
        assert_eq!(struck, [true, false, true, false]);
    }
}
