//! Advanced Error Reporting and Downstream Port Containment in the wording of `lspci`, without plain flags.

use crate::lspci::express::put;
use crate::lspci::tokens::Tokens;
use pcie::config::layout::Slot;

/// Reads the fields of a register that are not flags.
pub fn register(slot: &mut Slot<'_>, tokens: &mut Tokens<'_>) {
    match slot.name {
        "AERCap" => {
            put(slot, "First Error Pointer", tokens.hex("First Error Pointer: {}"));
            // `header_log` reads the log from the whole text; here its words are only taken.
            tokens.take("HeaderLog: {} {} {} {}");
        }
        "RootSta" => put(slot, "IntMsgNum", tokens.number("IntMsg {}").or_else(|| tokens.number("IntMsgNum {}"))),
        "ErrorSrc" => {
            put(slot, "ERR_COR", tokens.hex("ERR_COR: {}"));
            put(slot, "ERR_FATAL/NONFATAL", tokens.hex("ERR_FATAL/NONFATAL: {}"));
        }
        "DpcCap" => {
            put(slot, "IntMsgNum", tokens.number("INT Msg #{}").or_else(|| tokens.number("IntMsgNum {}")));
            put(slot, "RP PIO Log", tokens.number("RP PIO Log {}"));
        }
        "DpcCtl" => put(slot, "Trigger", tokens.hex("Trigger:{}")),
        "DpcSta" => {
            put(slot, "Reason", tokens.hex("Reason:{}"));
            put(slot, "TriggerExt", tokens.hex("TriggerExt:{}"));
            put(slot, "RP PIO ErrPtr", tokens.hex("RP PIO ErrPtr:{}"));
        }
        "Source" => put(slot, "Source", tokens.hex("{}")),
        _ => {}
    }
}

/// The header log, as in `HeaderLog: 04000001 0000000f 19070000 1a2b3c4d`.
pub fn header_log(text: &str) -> [Option<u32>; 4] {
    let mut words = text.split_once("HeaderLog:").map_or("", |(_, log)| log).split_whitespace();
    let mut log = [None; 4];
    for dw in &mut log {
        *dw = words.next().filter(|word| word.len() == 8).and_then(|word| u32::from_str_radix(word, 16).ok());
    }
    log
}
