//! The output of `lspci`: `-v` to `-vvv` (text), `-x` to `-xxxx` (hex), or both, as printed or as mail has altered it.
//!
//! Lines may be wrapped, quoted, re-indented or mixed with prose. Domains may be present or not. The options `-nn`, `-n`, `-D`,
//! `-PP`, `-mm` and `-vmm` are supported. What is not understood becomes a remark with its line.

mod block;
mod capability;
mod class;
mod error_log;
mod express;
mod fields;
mod head;
mod hex;
mod line;
mod one_line;
mod pattern;
mod pciconf;
mod property;
mod quote;
mod shape;
mod small;
mod split;
mod tokens;

use crate::function::{Function, Reach};
use crate::machine::{Machine, Source};
use crate::plain::plain;
use crate::remark::{Place, Remark};
use crate::told::Sayings;
use block::Block;
use head::Form;

/// The most functions that are read: no machine has more.
const MOST_FUNCTIONS: usize = 1 << 16;

/// Reads a machine from a text. Never fails: a text without functions gives a machine without functions, with remarks.
pub fn parse(text: &str) -> Machine {
    let mut machine = Machine::default();
    let text = one_line::apart(plain(text));
    let mut sayings = Sayings::default();
    let text = std::borrow::Cow::Owned(sayings.take(&text));
    let blocks = split::split(&pciconf::translated(text), &mut machine.remarks);
    if blocks.iter().any(|block| !block.hex.is_empty()) {
        machine.source = Source::Hex;
    }
    for block in blocks {
        if machine.functions.len() >= MOST_FUNCTIONS {
            let what = format!("more than {MOST_FUNCTIONS} functions: the rest is not read");
            machine.remarks.push(Remark { place: Place::Line(block.line), what });
            break;
        }
        let function = function(&block, &mut machine.remarks);
        machine.add(function);
    }
    sayings.fill(&mut machine);
    machine.name_by_ids();
    machine
}

/// The function of one block, from its text and hex together. Where they contradict, the bytes are kept.
fn function(block: &Block, remarks: &mut Vec<Remark>) -> Function {
    let mut told = text_function(block, remarks);
    if block.hex.is_empty() {
        return told;
    }
    let Some(space) = hex::space(&block.hex, remarks) else { return told };
    let mut read = Function::of_space(told.address, space, remarks, &Place::Line(block.line));
    read.place = told.place.take();
    let conflicts = read.join(told);
    if !conflicts.is_empty() {
        let what = format!("text and bytes of {} disagree in {}", read.address, conflicts.join(", "));
        remarks.push(Remark { place: Place::Line(block.line), what });
    }
    read
}

fn text_function(block: &Block, remarks: &mut Vec<Remark>) -> Function {
    let is_named = block.head.form == Form::Record || block.lines.is_empty() && block.capabilities.is_empty();
    let mut function = Function {
        address: block.head.address,
        place: Some(Place::Line(block.line)),
        path: block.head.path.clone(),
        reach: if is_named { Reach::Named } else { Reach::Printed },
        ..Function::default()
    };
    block.head.fill(&block.lines, &mut function);
    let told = block.lines.iter().filter(|_| block.head.form != Form::Record);
    for line in told {
        property::fill(&mut function, &line.text);
    }
    if function.reach == Reach::Nothing {
        // All ones: the function did not answer.
        function.header.revision = function.header.revision.filter(|revision| *revision != 0xff);
        function.header.interface = function.header.interface.filter(|interface| *interface != 0xff);
    }
    for told in &block.capabilities {
        let (capability, strange) = capability::read(told);
        function.capabilities.0.push(capability);
        remarks.extend(strange);
    }
    if block.hidden {
        function.reach = Reach::HeaderOnly;
    }
    function
}
