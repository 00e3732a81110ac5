//! What a controller fetches for a transfer, and what it writes when it has done it: queue element transfer descriptors
//! (Enhanced Host Controller Interface Specification 1.0, qTD) and Transfer Request Blocks (eXtensible Host Controller
//! Interface Specification 1.2, Normal TRB and Transfer Event TRB).

use super::params::Interface;

/// Bit of a qTD's token: the controller has not done it.
const ACTIVE: u32 = 1 << 7;
/// Bit of a qTD's token: its end is an interrupt.
const QTD_INTERRUPTS: u32 = 1 << 15;
/// Bit of a TRB: its end is an event.
const TRB_INTERRUPTS: u32 = 1 << 5;
/// Types of TRB: Normal, and Transfer Event.
const NORMAL: u32 = 1 << 10;
const EVENT: u32 = 32 << 10;
/// Where a qTD has its token.
pub(crate) const TOKEN_AT: u64 = 8;

/// A piece of a transfer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    /// Where its data is in host memory.
    pub address: u64,
    /// Its bytes; 0 for a packet without data.
    pub bytes: u64,
    /// True for the last of its transfer.
    pub last: bool,
}

impl Piece {
    /// Its bytes for a controller with `interface`. `cycle` is the cycle bit of a TRB.
    pub fn encode(self, interface: Interface, cycle: bool) -> Vec<u8> {
        match interface {
            Interface::Ehci => {
                let interrupts = if self.last { QTD_INTERRUPTS } else { 0 };
                let token = ACTIVE | interrupts | (self.bytes as u32) << 16;
                let page = |number: u64| (self.address as u32 & !0xfff).wrapping_add(4096 * number as u32);
                let first = [1, 1, token, self.address as u32];
                first.into_iter().chain((1..5).map(page)).flat_map(u32::to_le_bytes).collect()
            }
            Interface::Xhci => {
                let interrupts = if self.last { TRB_INTERRUPTS } else { 0 };
                let control = NORMAL | interrupts | u32::from(cycle);
                let rest = [self.bytes as u32, control].into_iter().flat_map(u32::to_le_bytes);
                self.address.to_le_bytes().into_iter().chain(rest).collect()
            }
        }
    }

    /// What `entry` says; `None` where it is not the controller's.
    pub fn decode(interface: Interface, entry: &[u8], cycle: bool) -> Option<Piece> {
        let word = |at: usize| Some(u32::from_le_bytes(entry.get(at..at + 4)?.try_into().ok()?));
        match interface {
            Interface::Ehci => {
                let token = word(TOKEN_AT as usize)?;
                let (address, bytes) = (u64::from(word(12)?), u64::from(token >> 16 & 0x7fff));
                (token & ACTIVE != 0).then_some(Piece { address, bytes, last: token & QTD_INTERRUPTS != 0 })
            }
            Interface::Xhci => {
                let (low, high, control) = (word(0)?, word(4)?, word(12)?);
                let address = u64::from(low) | u64::from(high) << 32;
                let last = control & TRB_INTERRUPTS != 0;
                (control & 1 == u32::from(cycle)).then_some(Piece { address, bytes: u64::from(word(8)?), last })
            }
        }
    }

    /// True where the token of a qTD, in its word, says that it has been done.
    pub fn is_done(token: u64) -> bool {
        token as u32 & ACTIVE == 0
    }
}

/// The event of a TRB at `address`.
pub(crate) fn event(address: u64, cycle: bool) -> Vec<u8> {
    let rest = [1 << 24, EVENT | u32::from(cycle)].into_iter().flat_map(u32::to_le_bytes);
    address.to_le_bytes().into_iter().chain(rest).collect()
}

/// True where the last 8 bytes of an event say that it has come.
pub(crate) fn has_come(word: u64, cycle: bool) -> bool {
    word >> 32 & 1 == u64::from(cycle) && word >> 42 & 0x3f == 32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn do_entries_say_what_was_written() {
        let piece = Piece { address: 0x1234_5000, bytes: 20_480, last: true };
        let qtd = piece.encode(Interface::Ehci, false);
        assert_eq!((qtd.len(), Piece::decode(Interface::Ehci, &qtd, false)), (32, Some(piece)));
        assert_eq!(Piece::decode(Interface::Ehci, &[0; 32], false), None, "not active");
        let long = Piece { address: 0x12_3456_0000, bytes: 65_536, last: false };
        let trb = long.encode(Interface::Xhci, true);
        assert_eq!((trb.len(), Piece::decode(Interface::Xhci, &trb, true)), (16, Some(long)));
        assert_eq!(Piece::decode(Interface::Xhci, &trb, false), None, "of the other pass");
        let event = event(0x1000, true);
        let word = u64::from_le_bytes(event[8..].try_into().unwrap_or_default());
        assert!(has_come(word, true) && !has_come(word, false) && !has_come(0, false));
    }
}
