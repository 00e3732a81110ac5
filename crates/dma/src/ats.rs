//! Address Translation Services: the Address Translation Cache of a channel, and its Translation Requests.

use crate::orders::Orders;
use pcie::Time;
use sim::parts::{Decided, Exit, Held, Label, PartContext, Purpose, Recent};
use std::collections::VecDeque;
use system::kinds::CardParams;
use system::{Drive, Flow, Scenario, Wait};

/// Bytes of the completion of a Translation Request for one translation.
const TRANSLATION_BYTES: u64 = 8;

/// See the module.
#[derive(Clone, Debug)]
pub struct Ats {
    /// Requests have a queue of their own at the port, and do not wait for payload.
    exit: Exit,
    page_bytes: u64,
    /// The pages that are translated.
    held: Recent<u64>,
    /// Tag and page of each translation that is asked for and not yet known to the engine.
    coming: Vec<(u16, u64)>,
    /// The tags of those that have arrived.
    arriving: VecDeque<u16>,
    /// Where the next pages begin that were looked at, in bytes of the flow, and where the page after them does.
    ahead: VecDeque<u64>,
    looked: u64,
    tag: u16,
    /// Commands after which software invalidates what they used, where it does.
    invalidated: Option<u64>,
}

impl Ats {
    /// That of `flow`, of a card with `params`, whose requests leave by `exit`; `None` where it does not translate.
    pub fn new(scenario: &Scenario, flow: &Flow, params: &CardParams, exit: Exit) -> Option<Box<Ats>> {
        let host = scenario.system.part(flow.target).kind.host()?;
        let new = || Ats {
            exit,
            page_bytes: host.iommu_page.0.max(1),
            held: Recent::new(params.atc_entries.0),
            coming: Vec::new(),
            arriving: VecDeque::new(),
            ahead: VecDeque::new(),
            looked: 0,
            tag: 0,
            invalidated: (host.invalidates() && flow.drive == Drive::Software).then_some(host.invalidation_commands.0),
        };
        flow.is_translated(&scenario.system).then(|| Box::new(new()))
    }

    /// A command begins after so many. Where software has invalidated the pages of those before, the card has none of them.
    pub fn begins(&mut self, after: u64) {
        if self.invalidated.is_some_and(|every| after > 0 && after.is_multiple_of(every.max(1))) {
            self.held.keep(|_| false);
        }
    }

    /// True where the page of the byte at `offset` of the flow is translated. Asks for the translations of that page and of
    /// the next ones before `until`, as far ahead as the card does. No request leaves before `gate`.
    pub fn has(
        &mut self,
        context: &mut PartContext<'_>,
        params: &CardParams,
        orders: &Orders,
        (offset, until): (u64, u64),
        gate: Time,
    ) -> bool {
        while self.ahead.front().is_some_and(|&begins| begins <= offset) {
            self.ahead.pop_front();
        }
        let page = orders.address(offset) / self.page_bytes;
        let has = self.held.find(|held| *held == page).is_some();
        if !has && !self.coming.iter().any(|(_, coming)| *coming == page) {
            // It is no longer there, or was never looked at.
            self.looked = offset;
            self.ahead.clear();
        }
        self.looked = self.looked.max(offset);
        let most = params.translation_requests.0 as usize;
        while self.looked < until && self.ahead.len() < most && self.coming.len() < most {
            let address = orders.address(self.looked);
            self.ask(context, orders, address, gate.max(context.now() + params.tx_latency));
            self.ahead.push_back(self.looked);
            let left = orders.command - self.looked % orders.command;
            self.looked += left.min(self.page_bytes - address % self.page_bytes);
        }
        has
    }

    /// Asks for the translation of `address` at `ready`, if it is neither there nor on its way.
    fn ask(&mut self, context: &mut PartContext<'_>, orders: &Orders, address: u64, ready: Time) {
        let page = address / self.page_bytes;
        if self.held.has(|held| *held == page) || self.coming.iter().any(|(_, coming)| *coming == page) {
            return;
        }
        let label = Label { flow: orders.flow, purpose: Purpose::Translation, offset: page };
        let held = Held::new(Wait::Memory, ready);
        let of = Decided { label, born: context.now(), ready, held, tell: false, last: false };
        self.tag = self.tag.wrapping_add(1);
        self.coming.push((self.tag, page));
        context.send(self.exit.read(of, page * self.page_bytes, TRANSLATION_BYTES, self.tag));
    }

    /// The completion of the request with `tag` has arrived. The engine knows of it at the time that this returns.
    pub fn arrived(&mut self, tag: u16, now: Time, params: &CardParams) -> Option<Time> {
        let is_asked = self.coming.iter().any(|(coming, _)| *coming == tag);
        is_asked.then(|| {
            self.arriving.push_back(tag);
            now + params.rx_latency
        })
    }

    /// The oldest translation that has arrived is known to the engine.
    pub fn known(&mut self) {
        let tag = self.arriving.pop_front();
        if let Some(place) = self.coming.iter().position(|(coming, _)| Some(*coming) == tag) {
            self.held.add(self.coming.swap_remove(place).1);
        }
    }
}
