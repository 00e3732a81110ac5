//! The configuration space of the drive below a root port, as enumeration has settled it.
//!
//! The registers that a bring-up meets: class code, BAR 0, the PCI Express capability with Max_Payload_Size Supported, Command and
//! Device Control. What the host writes is kept, and must be what the simulation runs with: it settles MPS, MRRS and
//! tags before a run and cannot follow a host that sets others.

use pcie::{Bdf, PayloadSize};

const COMMAND: usize = 0x04;
const BAR0: usize = 0x10;
const CAPABILITY: usize = 0x70;
const DEVICE_CAPABILITIES: usize = CAPABILITY + 0x04;
const DEVICE_CONTROL: usize = CAPABILITY + 0x08;
/// Mass storage, non-volatile memory, NVM Express; and a revision.
const CLASS: u32 = 0x0108_0200;
/// BAR 0: memory, anywhere in 64 bits.
const MEMORY_64: u32 = 0b0100;
/// Command: memory space and bus master.
const OPEN: u32 = 0b110;
/// Device Capabilities and Device Control: Extended Tag Field.
const EXTENDED_TAG_SUPPORTED: u32 = 1 << 5;

/// See the module.
#[derive(Debug)]
pub(super) struct Space {
    function: Bdf,
    /// Bytes of BAR 0.
    bar: u64,
    registers: [u32; 64],
    mps: PayloadSize,
    mrrs: PayloadSize,
}

impl Space {
    /// That of `function`, whose BAR 0 has `bar` bytes, settled with `mps` and `mrrs`.
    pub fn new(function: Bdf, bar: u64, (mps, mrrs): (PayloadSize, PayloadSize)) -> Space {
        let mut registers = [0; 64];
        let mut set = |at: usize, value| registers[at / 4] = value;
        // Vendor and device: anything but all ones.
        set(0x00, 0x0001_0001);
        set(0x08, CLASS);
        set(BAR0, MEMORY_64);
        // The capability list, in Status.
        set(COMMAND, 1 << 20);
        set(0x34, CAPABILITY as u32);
        set(CAPABILITY, 0x0002_0010);
        set(DEVICE_CAPABILITIES, u32::from(mps.encoding()) | EXTENDED_TAG_SUPPORTED);
        // As after reset: an MRRS of 512.
        set(DEVICE_CONTROL, 2 << 12);
        Space { function, bar, registers, mps, mrrs }
    }

    /// The register of a configuration request to `address`, as ECAM has it; `None` where nothing answers.
    fn register(&self, address: u64) -> Option<usize> {
        let at = (address & 0xfff) as usize / 4;
        (address >> 12 == u64::from(self.function.bits()) && at < self.registers.len()).then_some(at)
    }

    /// What a read of `address` finds; `None` for an Unsupported Request.
    pub fn read(&self, address: u64) -> Option<u32> {
        self.register(address).map(|at| self.registers[at])
    }

    /// Writes `value` to `address`; `None` for an Unsupported Request.
    pub fn write(&mut self, address: u64, value: u32) -> Option<()> {
        let at = self.register(address)?;
        let mask = match at * 4 {
            COMMAND => 0x0406,
            BAR0 => !(self.bar as u32 - 1),
            place if place == BAR0 + 4 => u32::MAX,
            DEVICE_CONTROL => 0xffff,
            _ => 0,
        };
        self.registers[at] = self.registers[at] & !mask | value & mask;
        Some(())
    }

    /// Where BAR 0 lies; `None` while memory space is not enabled.
    pub fn bar0(&self) -> Option<u64> {
        let [low, high] = [0, 1].map(|word| u64::from(self.registers[BAR0 / 4 + word]));
        (self.registers[COMMAND / 4] & OPEN == OPEN).then_some(high << 32 | low & !0xf)
    }

    /// What is wrong with the settings that the host has made; `None` where they are those of the simulation.
    pub fn differs(&self) -> Option<String> {
        let control = self.registers[DEVICE_CONTROL / 4];
        let (mps, mrrs) = (control >> 5 & 7, control >> 12 & 7);
        let settled = (u32::from(self.mps.encoding()), u32::from(self.mrrs.encoding()));
        let bytes = |code: u32| 128u64 << code;
        ((mps, mrrs) != settled).then(|| {
            format!(
                "the host sets MPS {} and MRRS {}, and the run has {} and {}",
                bytes(mps),
                bytes(mrrs),
                self.mps.bytes(),
                self.mrrs.bytes()
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_a_bring_up_find_size_and_place_of_the_bar_and_what_enumeration_settled() {
        let [mps, mrrs] = [256, 512].map(|bytes| PayloadSize::new(bytes).unwrap());
        let mut space = Space::new(Bdf::from_bits(0x0100), 16384, (mps, mrrs));
        let at = |register: u64| 0x0100 << 12 | register;
        assert_eq!(space.read(at(0x08)), Some(0x0108_0200));
        assert_eq!(space.read(0x0200 << 12), None, "another function");
        space.write(at(0x10), u32::MAX).unwrap();
        assert_eq!(space.read(at(0x10)), Some(0xffff_c004));
        space.write(at(0x10), 0xe000_0000).unwrap();
        assert_eq!(space.bar0(), None, "memory space is off");
        space.write(at(0x04), 0x0406).unwrap();
        assert_eq!(space.bar0(), Some(0xe000_0000));
        assert!(space.differs().is_some_and(|what| what.contains("MPS 128")), "{:?}", space.differs());
        space.write(at(0x78), 1 << 5 | 2 << 12).unwrap();
        assert_eq!(space.differs(), None);
    }
}
