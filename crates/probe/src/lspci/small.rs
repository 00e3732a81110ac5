//! The other capabilities in the wording of `lspci`.

use crate::lspci::express::put;
use crate::lspci::tokens::Tokens;
use pcie::config::NamedRegister;
use pcie::config::cxl::{CXL_VENDOR, Cxl, CxlDevice, Dvsec, FlexBus};
use pcie::config::latency::{L1Substates, Ltr};
use pcie::config::layout::{Layout, Slot};
use pcie::config::power::{Msi, Msix, Power};
use pcie::config::rebar::{Rebar, ResizableBar};
use pcie::config::sriov::Sriov;
use pcie::units::Bytes;

/// Reads the fields of a register that are not flags.
pub fn register(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    match slot.name {
        "ARICap" => put(slot, "Next Function", tokens.number("Next Function: {}")),
        "ARICtl" => put(slot, "Function Group", tokens.number("Function Group: {}")),
        "ATSCap" => put(slot, "Invalidate Queue Depth", tokens.hex("Invalidate Queue Depth: {}")),
        "ATSCtl" => put(slot, "Smallest Translation Unit", tokens.hex("Smallest Translation Unit: {}")),
        "PASIDCap" => put(slot, "Max PASID Width", tokens.hex("Max PASID Width: {}")),
        "LaneErrStat" => lane_errors(slot, tokens),
        "IOVCap" => {
            let number = tokens.hex("Interrupt Message Number: {}").or_else(|| tokens.number("IntMsgNum {}"));
            put(slot, "IntMsgNum", number);
        }
        // After the last register there are lines that are no registers, or that are not kept. `sriov` reads its own lines.
        "IOVSta" | "CXLSta" | "FBSta" => {
            tokens.take_flags(slot);
            tokens.take_rest();
        }
        // Only the control register of the first virtual channel is kept.
        "VC0" => {
            put(slot, "ID", tokens.number("ID={}"));
            put(slot, "TC/VC", tokens.hex("TC/VC={}"));
            tokens.take_flags(slot);
            tokens.take_rest();
        }
        "L1SubCap" => {
            put(slot, "PortCommonModeRestoreTime", tokens.number("PortCommonModeRestoreTime={}us"));
            tokens.take("PortTPowerOnTime={}");
        }
        "L1SubCtl1" => {
            put(slot, "T_CommonMode", tokens.number("T_CommonMode={}us"));
            // Several pairs of value and scale give the same product: `l1_substates` keeps the product.
            tokens.take("LTR1.2_Threshold={}");
        }
        "L1SubCtl2" => {
            tokens.take("T_PwrOn={}");
        }
        "CXLCap" => {
            put(slot, "Mem HW Init", sign(tokens.take_one("Mem HW Init{}")));
            put(slot, "HDMCount", tokens.number("HDMCount {}"));
        }
        "CXLCtl" => {
            put(slot, "Cache SF Cov", tokens.number("Cache SF Cov {}"));
            put(slot, "Cache SF Gran", tokens.number("Cache SF Gran {}"));
            put(slot, "Cache Clean", sign(tokens.take_one("Cache Clean{}")));
        }
        _ => {}
    }
}

fn sign(text: Option<&str>) -> Option<u32> {
    match text? {
        "+" => Some(1),
        "-" => Some(0),
        _ => None,
    }
}

/// The lanes with errors, as in `0` or `LaneErr at lane: 0 1 2`.
fn lane_errors(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    if !tokens.take_word("LaneErr at lane:") {
        put(slot, "LaneErr at lane", tokens.take_word("0").then_some(0));
        return;
    }
    let mut lanes = 0;
    while let Some(lane) = tokens.number("{}").filter(|lane| *lane < 16) {
        lanes |= 1 << lane;
    }
    put(slot, "LaneErr at lane", Some(lanes));
}

/// Reads `Initial VFs: 7, Total VFs: 7, Number of VFs: 0, Function Dependency Link: 00 VF offset: 1, stride: 1, ...`.
pub fn sriov(sriov: &mut Sriov, text: &str) {
    let mut tokens = Tokens::new(text);
    for (pattern, hex) in [
        ("Initial VFs: {}", false),
        ("Total VFs: {}", false),
        ("Number of VFs: {}", false),
        ("Function Dependency Link: {}", true),
        ("VF offset: {}", false),
        ("stride: {}", false),
        ("Device ID: {}", true),
    ] {
        let value = if hex { tokens.hex(pattern) } else { tokens.number(pattern) };
        let (Some(value), Some(label)) = (value, pattern.strip_suffix(": {}")) else { continue };
        let held = sriov.vfs.put(label, value) || sriov.number.put(label, value);
        let _ = held || sriov.routing.put(label, value) || sriov.device.put(label, value);
    }
}

/// Reads `Designated Vendor-Specific: Vendor=1e98 ID=0000 Rev=0 Len=56: CXL ...`.
pub fn dvsec(dvsec: &mut Dvsec, text: &str) {
    let mut tokens = Tokens::new(text);
    let vendor = tokens.hex("Vendor={}");
    let id = tokens.hex("ID={}");
    let revision = tokens.number("Rev={}");
    let length = tokens.take_one("Len={}").and_then(|length| length.trim_end_matches(':').parse().ok());
    for (label, value) in [("Vendor", vendor), ("Rev", revision), ("Len", length)] {
        value.map(|value| dvsec.header1.put(label, value));
    }
    id.map(|id| dvsec.header2.put("ID", id));
    dvsec.cxl = match dvsec.identity() {
        Some((CXL_VENDOR, 0)) => Some(Cxl::Device(CxlDevice::default())),
        Some((CXL_VENDOR, 7)) => Some(Cxl::FlexBus(FlexBus::default())),
        _ => None,
    };
}

/// Reads `BAR 1: current size: 256MB, supported: 64MB 128MB 256MB`.
pub fn rebar(rebar: &mut Rebar, text: &str) {
    for part in text.split("BAR ").skip(1) {
        let Some((index, rest)) = part.split_once(": current size: ") else { continue };
        let Some((now, supported)) = rest.split_once(", supported:") else { continue };
        let Ok(index) = index.trim().parse() else { continue };
        let supported = supported.split_whitespace().map_while(bytes).collect();
        rebar.bars.push(ResizableBar { index, size: bytes(now.trim()), supported });
    }
}

/// A size, as in `64MB`, `8GB`.
fn bytes(text: &str) -> Option<Bytes> {
    let units = [("KB", 10), ("MB", 20), ("GB", 30), ("TB", 40), ("PB", 50)];
    let (digits, shift) = units.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)))?;
    digits.parse::<u64>().ok()?.checked_mul(1 << shift).map(Bytes)
}

/// Reads `Power Management version 3 Flags: ... Status: D0 NoSoftRst+ ...`.
pub fn power(power: &mut Power, text: &str) {
    let (flags, status) = text.split_once("Status:").unwrap_or((text, ""));
    let mut tokens = Tokens::new(flags);
    put_slot(power, "PMCap", "version", tokens.number("version {}"));
    with_slot(power, "PMCap", |slot| tokens.take_flags(slot));
    let mut tokens = Tokens::new(status);
    put_slot(power, "PMCtl", "D", tokens.number("D{}"));
    put_slot(power, "PMCtl", "DSel", tokens.number("DSel={}"));
    put_slot(power, "PMCtl", "DScale", tokens.number("DScale={}"));
    with_slot(power, "PMCtl", |slot| tokens.take_flags(slot));
}

/// Reads `MSI: Enable+ Count=1/2 Maskable+ 64bit-`. The count is that of vectors enabled and of vectors requested.
pub fn msi(msi: &mut Msi, text: &str) {
    let mut tokens = Tokens::new(text);
    with_slot(msi, "MSI", |slot| tokens.take_flags(slot));
    let counts = tokens.take_one("Count={}").and_then(|counts| counts.split_once('/'));
    let power = |text: &str| text.parse::<u32>().ok().filter(|n| n.is_power_of_two()).map(u32::trailing_zeros);
    if let Some((given, asked)) = counts {
        put_slot(msi, "MSI", "Enabled", power(given));
        put_slot(msi, "MSI", "Capable", power(asked));
    }
}

/// Reads `MSI-X: Enable+ Count=16 Masked- Vector table: BAR=0 offset=00002000 PBA: BAR=0 offset=00002100`.
pub fn msix(msix: &mut Msix, text: &str) {
    let mut tokens = Tokens::new(text);
    with_slot(msix, "MSI-X", |slot| tokens.take_flags(slot));
    put_slot(msix, "MSI-X", "Count", tokens.number("Count={}").and_then(|count| count.checked_sub(1)));
    for (name, pattern) in [("Vector table", "Vector table: BAR={} offset={}"), ("PBA", "PBA: BAR={} offset={}")] {
        let Some(found) = tokens.take(pattern) else { continue };
        put_slot(msix, name, "BAR", found[0].parse().ok());
        put_slot(msix, name, "offset", u32::from_str_radix(found[1], 16).ok().map(|offset| offset >> 3));
    }
}

/// Reads `Max snoop latency: 1048576ns Max no snoop latency: 0ns`.
pub fn ltr(ltr: &mut Ltr, text: &str) {
    let mut tokens = Tokens::new(text);
    ltr.snoop_ns = tokens.take_one("Max snoop latency: {}ns").and_then(|ns| ns.parse().ok());
    ltr.no_snoop_ns = tokens.take_one("Max no snoop latency: {}ns").and_then(|ns| ns.parse().ok());
}

/// Reads the products of value and scale from `L1SubCtl1: ... T_CommonMode=0us LTR1.2_Threshold=32768ns L1SubCtl2: T_PwrOn=10us`.
pub fn l1_substates(substates: &mut L1Substates, text: &str) {
    let mut tokens = Tokens::new(text);
    substates.threshold_ns = tokens.take_one("LTR1.2_Threshold={}ns").and_then(|ns| ns.parse().ok());
    substates.power_on_us = tokens.number("T_PwrOn={}us");
}

fn with_slot(layout: &mut impl Layout, name: &str, with: impl FnOnce(&mut Slot<'_>)) {
    if let Some(mut slot) = layout.slot(name) {
        with(&mut slot);
    }
}

fn put_slot(layout: &mut impl Layout, name: &str, label: &str, value: Option<u32>) {
    with_slot(layout, name, |slot| put(slot, label, value));
}
