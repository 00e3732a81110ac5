//! Flow-control credits (Transaction Layer, Flow Control Rules).

use std::fmt;

/// The three credit types that a receiver advertises, which are also the three kinds of TLP of the ordering rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Memory writes and messages.
    Posted,
    /// Requests that need a completion, memory reads among them.
    NonPosted,
    /// Completions.
    Completion,
}

impl Class {
    /// All three, in the order of the flow-control DLLPs.
    pub const ALL: [Class; 3] = [Class::Posted, Class::NonPosted, Class::Completion];

    /// 0, 1 or 2: an index into tables.
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Class::Posted => "posted",
            Class::NonPosted => "non-posted",
            Class::Completion => "completion",
        })
    }
}

/// Payload bytes for each data credit.
pub const DATA_CREDIT_BYTES: u64 = 16;

/// Data credits that `payload` bytes take.
pub const fn data_credits(payload: u64) -> u64 {
    payload.div_ceil(DATA_CREDIT_BYTES)
}

/// The credits that a receiver advertises for one class. `None` is infinite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Credits {
    /// One for each TLP.
    pub header: Option<u32>,
    /// One for each 16 bytes of payload, rounded up.
    pub data: Option<u32>,
}

impl Credits {
    /// Infinite header and data credits.
    pub const INFINITE: Credits = Credits { header: None, data: None };

    /// True where both credits are infinite, so that no UpdateFC is sent.
    pub const fn is_infinite(self) -> bool {
        self.header.is_none() && self.data.is_none()
    }
    /// How many TLPs of `payload` bytes the credits allow at once; `None` where they are infinite.
    pub fn tlps(self, payload: u64) -> Option<u64> {
        let need = data_credits(payload);
        let by_data = self.data.filter(|_| need > 0).map(|d| d as u64 / need);
        match (self.header.map(u64::from), by_data) {
            (Some(h), Some(d)) => Some(h.min(d)),
            (h, d) => h.or(d),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scarcer_pool_decides_how_many_tlps_fit() {
        let pool = Credits { header: Some(8), data: Some(40) };
        assert_eq!(pool.tlps(128), Some(5));
        assert_eq!(pool.tlps(16), Some(8));
        assert_eq!(pool.tlps(0), Some(8));
        assert_eq!(Credits::INFINITE.tlps(4096), None);
    }
}
