//! Payload sizes as configuration space encodes them: Max_Payload_Size and Max_Read_Request_Size.

use std::fmt;

/// 128, 256, 512, 1024, 2048 or 4096 bytes (Device Control Register).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PayloadSize(u8);

impl PayloadSize {
    /// 128 bytes, which every function supports.
    pub const MIN: PayloadSize = PayloadSize(0);
    /// 4096 bytes, the largest defined encoding.
    pub const MAX: PayloadSize = PayloadSize(5);
    /// All sizes, smallest first.
    pub const ALL: [PayloadSize; 6] =
        [PayloadSize(0), PayloadSize(1), PayloadSize(2), PayloadSize(3), PayloadSize(4), PayloadSize(5)];

    /// `None` where `bytes` has no encoding.
    pub fn new(bytes: u64) -> Option<PayloadSize> {
        PayloadSize::ALL.into_iter().find(|p| p.bytes() == bytes)
    }
    /// The smallest size of at least `bytes`; `None` above 4096.
    pub fn holding(bytes: u64) -> Option<PayloadSize> {
        PayloadSize::ALL.into_iter().find(|p| p.bytes() >= bytes)
    }
    /// In bytes.
    pub const fn bytes(self) -> u64 {
        128 << self.0
    }
    /// The three-bit encoding of Device Control.
    pub const fn encoding(self) -> u8 {
        self.0
    }
}

impl fmt::Display for PayloadSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.bytes().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_six_encoded_sizes_exist() {
        assert_eq!(PayloadSize::new(4096), Some(PayloadSize::MAX));
        assert_eq!(PayloadSize::new(96), None);
        assert_eq!(PayloadSize::holding(96), Some(PayloadSize::MIN));
        assert_eq!(PayloadSize::holding(4097), None);
    }
}
