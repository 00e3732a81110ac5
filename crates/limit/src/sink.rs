//! The far end of a flow in the recurrence: memory, or a card's core.

use crate::plan::Plan;
use crate::stage::Tlp;
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

/// The page of a status write: none of the flow's own.
pub const STATUS_PAGE: u64 = u64::MAX;

impl Sink {
    /// Memory, idle.
    pub fn memory() -> Sink {
        Sink::Memory { free: 0.0, page: None }
    }
    /// The core of `card`, idle.
    pub fn core(card: &CardParams) -> Sink {
        Sink::Core { card: Box::new(card.clone()), free: 0.0 }
    }

    /// Takes a TLP that is there at `time`, for bytes at `offset` of `page`: when it is done with it.
    pub fn take(&mut self, time: f64, plan: &Plan<'_>, (page, offset): (u64, u64), tlp: &Tlp) -> f64 {
        match self {
            Sink::Memory { free, page: last } => {
                let entered = *last != Some(page);
                *last = Some(page);
                let page_fs = if entered { plan.host.page_service.as_fs() as f64 } else { 0.0 };
                *free = free.max(time) + plan.memory_fs(offset, tlp.payload) + page_fs;
                *free
            }
            Sink::Core { card, free } => {
                *free = free.max(time) + card.core_time(tlp.payload).as_fs() as f64;
                *free
            }
            Sink::Register => time,
        }
    }
}
