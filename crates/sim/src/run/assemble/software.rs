//! Checks the contract of device software: it runs on a host above its device, its threads and signals exist, and no
//! signal is shared by two threads.

use crate::parts::KindError;
use crate::run::error::SimError;
use crate::software::driver::{Signal, Software};
use crate::software::message::Message;
use std::collections::BTreeMap;
use system::{PartId, Scenario, Window};

/// The largest number of threads on a host: their loads are told apart by tags.
const MOST_THREADS: usize = 1 << 16;

/// What the threads of a host use already.
#[derive(Default)]
struct Given {
    threads: usize,
    messages: Vec<Message>,
    windows: Vec<Window>,
}

/// Checks `installed`: software with the device that it drives, in order of the devices.
///
/// # Errors
/// The first device whose software breaks its contract.
pub(super) fn check(scenario: &Scenario, installed: &[(PartId, Software)]) -> Result<(), SimError> {
    let system = &scenario.system;
    let mut hosts: BTreeMap<PartId, Given> = BTreeMap::new();
    for (device, own) in installed {
        let refused = |what: &str| {
            let part = system.parts.get(device.0).map_or_else(String::new, |part| part.name.clone());
            let help = "those who wrote its kind can mend that".into();
            Err(SimError::Kind { part, why: KindError { what: what.into(), help } })
        };
        if !system.parts.get(own.host.0).is_some_and(|part| part.kind.is_root()) {
            return refused("its software runs on no host");
        }
        if system.path(own.host, *device).is_empty() {
            return refused("its software runs on no host that it hangs below");
        }
        if own.threads.iter().any(|&flow| flow as usize >= scenario.flows.len()) {
            return refused("a thread of its software is of no flow");
        }
        if own.signals.iter().any(|&(_, thread)| thread as usize >= own.threads.len()) {
            return refused("its software has no such thread");
        }
        let given = hosts.entry(own.host).or_default();
        given.threads += own.threads.len();
        for (signal, _) in &own.signals {
            match signal {
                Signal::Message(message) => given.messages.push(*message),
                Signal::Written(window) => given.windows.push(*window),
            }
        }
        given.messages.sort_by_key(|message| (message.address, message.data));
        given.windows.sort_by_key(|window| window.base);
        let meet = |two: &[Window]| two[0].holds(two[1].base);
        if given.threads > MOST_THREADS
            || given.windows.windows(2).any(meet)
            || given.messages.windows(2).any(|two| two[0] == two[1])
        {
            return refused("a message or a byte of memory tells two threads, or there are more threads than tags");
        }
    }
    Ok(())
}
