//! The settings that software makes in a function's PCI Express capability: Device Control and Device Control 2.

use crate::payload::PayloadSize;
use std::fmt;

/// A masked write to a 16-bit register of the PCI Express capability: bits outside the mask keep their values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bits {
    /// Offset from the start of the capability, bytes.
    pub offset: u16,
    /// The value, in register position.
    pub value: u16,
    /// The bits to write.
    pub mask: u16,
}

/// Device Control Register (Offset 08h).
const DEVICE_CONTROL: u16 = 0x08;
/// Device Control 2 Register (Offset 28h).
const DEVICE_CONTROL_2: u16 = 0x28;

impl Bits {
    /// Max_Payload_Size, bits 7:5.
    pub fn max_payload_size(size: PayloadSize) -> Bits {
        Bits { offset: DEVICE_CONTROL, value: u16::from(size.encoding()) << 5, mask: 0x00e0 }
    }
    /// Max_Read_Request_Size, bits 14:12.
    pub fn max_read_request_size(size: PayloadSize) -> Bits {
        Bits { offset: DEVICE_CONTROL, value: u16::from(size.encoding()) << 12, mask: 0x7000 }
    }
    /// Extended Tag Field Enable, bit 8: 8-bit tags in place of 5-bit ones.
    pub fn extended_tag(on: bool) -> Bits {
        Bits { offset: DEVICE_CONTROL, value: u16::from(on) << 8, mask: 0x0100 }
    }
    /// 10-Bit Tag Requester Enable, bit 12 of Device Control 2.
    pub fn ten_bit_tag(on: bool) -> Bits {
        Bits { offset: DEVICE_CONTROL_2, value: u16::from(on) << 12, mask: 0x1000 }
    }
    /// Both in one write; `None` where they belong to different registers.
    pub fn and(self, other: Bits) -> Option<Bits> {
        let (value, mask) = (self.value & !other.mask | other.value, self.mask | other.mask);
        (self.offset == other.offset).then_some(Bits { offset: self.offset, value, mask })
    }
}

/// In the syntax of `setpci`: `CAP_EXP+08.w=0020:00e0`.
impl fmt::Display for Bits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CAP_EXP+{:02x}.w={:04x}:{:04x}", self.offset, self.value, self.mask)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_one_register_go_in_one_write() {
        let mps = Bits::max_payload_size(PayloadSize::new(256).unwrap());
        let mrrs = Bits::max_read_request_size(PayloadSize::MAX);
        assert_eq!(mps.to_string(), "CAP_EXP+08.w=0020:00e0");
        let both = mps.and(mrrs).and_then(|bits| bits.and(Bits::extended_tag(true)));
        assert_eq!(both.map(|bits| bits.to_string()).as_deref(), Some("CAP_EXP+08.w=5120:71e0"));
        assert_eq!(Bits::ten_bit_tag(true).to_string(), "CAP_EXP+28.w=1000:1000");
        assert_eq!(mps.and(Bits::ten_bit_tag(true)), None);
    }
}
