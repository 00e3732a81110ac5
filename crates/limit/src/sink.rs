//! The far end of a flow in the recurrence: memory, or a card's core.

use crate::plan::Plan;
use crate::tlps::Tlp;
use system::kinds::CardParams;

/// What takes the payload.
#[derive(Clone, Debug)]
pub enum Sink {
    /// Memory of the host: one server.
    Memory {
        /// When it has served the write before.
        free: f64,
        /// The 4 KiB page of the write before.
        page: Option<u64>,
    },
    /// The core of a card: one server.
    Core {
        /// Its settings.
        card: Box<CardParams>,
        /// When it has taken the TLP before.
        free: f64,
    },
    /// A register or a BAR that takes everything at once.
    Register,
}

/// Status writes go to the first page of the flow's buffer.
pub const STATUS_PAGE: u64 = 0;

impl Sink {
    /// Memory, idle.
    pub fn memory() -> Sink {
        Sink::Memory { free: 0.0, page: None }
    }
    /// The core of `card`, idle.
    pub fn core(card: &CardParams) -> Sink {
        Sink::Core { card: Box::new(card.clone()), free: 0.0 }
    }

    /// Takes a TLP that arrives from `first` to `time`, for bytes at `offset` of `page`: when it is done with it.
    /// Memory needs all of it; a core streams it.
    pub fn take(&mut self, (first, time): (f64, f64), plan: &Plan<'_>, address: (u64, u64), tlp: &Tlp) -> f64 {
        let (page, offset) = address;
        match self {
            Sink::Memory { free, page: last } => {
                let entered = *last != Some(page);
                *last = Some(page);
                let page_fs = if entered { plan.host.page_service.as_fs() as f64 } else { 0.0 };
                *free = free.max(time) + plan.memory_fs(offset, tlp.payload) + page_fs;
                *free
            }
            Sink::Core { card, free } => {
                *free = (free.max(first) + card.core_time(tlp.payload).as_fs() as f64).max(time);
                *free
            }
            Sink::Register => time,
        }
    }
}
