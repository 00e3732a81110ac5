//! The addresses of a flow's commands in its buffer.

use crate::field::FieldType;
use pcie::Bytes;

crate::words! {
    /// Which place of the window the next command takes.
    pub enum Order {
        /// The place after that of the command before; after the last one, the first.
        Sequential = "sequential",
        /// Any place, each equally often.
        Random = "random",
    }
}

/// Commands get a unit of this size each, where no stride is given.
const UNIT_BYTES: u64 = 64;

/// Commands at places of a window: the address of place `n` is `n` x stride + offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// From the start of a place to the first byte of its command.
    pub offset: Bytes,
    /// From one place to the next; `None` is command and offset together, rounded up to 64 bytes.
    pub stride: Option<Bytes>,
    /// Bytes of the window, which has as many places as fit, at least one.
    pub window: Bytes,
    /// Which place comes next.
    pub order: Order,
}

impl Default for Pattern {
    fn default() -> Pattern {
        Pattern { offset: Bytes(0), stride: None, window: Bytes(16 << 20), order: Order::Sequential }
    }
}

/// The largest window, offset and stride in memory, bytes.
pub(crate) const MOST_IN_MEMORY: Bytes = Bytes(1 << 30);
/// The largest window on a drive, bytes.
const MOST_WINDOW: Bytes = Bytes(1 << 50);

impl Pattern {
    /// Sets `offset`, `stride`, `window` or `pattern` (the order).
    ///
    /// # Errors
    /// What would be legal.
    pub(crate) fn set(&mut self, key: &str, text: &str) -> Result<(), &'static str> {
        const BYTES: &str = "a size up to 1 GiB, as in `8 KiB`";
        const WINDOW: &str = "a size up to 1 GiB, on a drive up to 1024 TiB, as in `8 KiB`";
        let most = if key == "window" { MOST_WINDOW } else { MOST_IN_MEMORY };
        let bytes = || u64::parse(text).map(Bytes).or_else(|| Bytes::parse(text)).filter(|&bytes| bytes <= most);
        match key {
            "offset" => self.offset = bytes().ok_or(BYTES)?,
            "stride" => self.stride = Some(bytes().filter(|b| b.0 > 0).ok_or(BYTES)?),
            "window" => self.window = bytes().filter(|b| b.0 > 0).ok_or(WINDOW)?,
            _ => self.order = Order::parse(text).ok_or(Order::EXPECTS)?,
        }
        Ok(())
    }

    /// From one place to the next, bytes.
    pub fn stride(&self, command: u64) -> u64 {
        let unit = || (command + self.offset.0).next_multiple_of(UNIT_BYTES);
        self.stride.map_or_else(unit, |stride| stride.0).max(1)
    }

    /// The number of places.
    pub fn places(&self, command: u64) -> u64 {
        (self.window.0 / self.stride(command)).max(1)
    }

    /// The bytes of memory that the commands need.
    pub fn bytes(&self, command: u64) -> u64 {
        (self.places(command) - 1) * self.stride(command) + self.offset.0 + command
    }

    /// The first byte of command number `k`, from the start of the buffer on.
    pub fn start(&self, command: u64, k: u64) -> u64 {
        let place = match self.order {
            Order::Sequential => k,
            Order::Random => mixed(k),
        };
        place % self.places(command) * self.stride(command) + self.offset.0
    }

    /// The address, from the start of the buffer on, of the byte at `offset` of the flow.
    pub fn address(&self, command: u64, offset: u64) -> u64 {
        self.start(command, offset / command.max(1)) + offset % command.max(1)
    }
}

/// A number that looks random, always the same for one `k` (the finalizer of SplitMix64).
pub(crate) fn mixed(k: u64) -> u64 {
    let mut z = k.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMAND: u64 = 129;

    #[test]
    fn where_do_commands_lie() {
        let pattern = Pattern { offset: Bytes(3), window: Bytes(1000), ..Pattern::default() };
        assert_eq!(pattern.stride(COMMAND), 192);
        assert_eq!(pattern.places(COMMAND), 5);
        assert_eq!((0..6).map(|k| pattern.start(COMMAND, k)).collect::<Vec<_>>(), [3, 195, 387, 579, 771, 3]);
        assert_eq!(pattern.address(COMMAND, COMMAND + 7), 202);
        assert_eq!(pattern.bytes(COMMAND), 4 * 192 + 132);
        let given = Pattern { stride: Some(Bytes(500)), ..pattern };
        assert_eq!(given.start(COMMAND, 1), 503);
        assert_eq!(Pattern { window: Bytes(1), ..pattern }.places(COMMAND), 1, "a window always has one place");
    }

    #[test]
    fn does_each_place_come_equally_often() {
        let pattern = Pattern { window: Bytes(8192), order: Order::Random, ..Pattern::default() };
        let mut times = [0_u32; 16];
        (0..16_000).for_each(|k| times[(pattern.start(512, k) / 512) as usize] += 1);
        assert!(times.iter().all(|n| (850..1150).contains(n)), "{times:?}");
    }
}
