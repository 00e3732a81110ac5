//! Functions that somebody put on a line each: everything that `lspci -vv` prints of one behind its head.

use crate::lspci::head::Head;
use std::borrow::Cow;

/// Where a line of its own began. What is within a capability is read by its registers, wherever its lines end.
const BEGIN: [&str; 12] = [
    " Subsystem: ",
    " Control: ",
    " Status: ",
    " Interrupt: pin ",
    " NUMA node: ",
    " IOMMU group: ",
    " Region ",
    " Bus: ",
    " Capabilities: ",
    " Kernel driver in use: ",
    " Kernel modules: ",
    NO_ANSWER,
];

/// What stands in place of everything where a function does not answer.
const NO_ANSWER: &str = " !!! Unknown header type 7f";

/// The text with each such line in lines of its own.
pub fn apart(text: Cow<'_, str>) -> Cow<'_, str> {
    let is_whole = |line: &str| match Head::read(line) {
        Some(_) if line.contains(NO_ANSWER) => true,
        Some(head) => line.contains(" Capabilities: [") && head.is_sure(),
        None => false,
    };
    if !text.lines().any(is_whole) {
        return text;
    }
    let apart = |line: &str| {
        if !is_whole(line) {
            return line.to_string();
        }
        BEGIN.iter().fold(line.to_string(), |line, begin| line.replace(begin, &format!("\n\t{}", begin.trim_start())))
    };
    Cow::Owned(text.lines().map(apart).collect::<Vec<_>>().join("\n"))
}
