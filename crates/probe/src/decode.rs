//! Decoding of a function from the bytes of its configuration space.

use crate::address::Address;
use crate::function::{Function, Reach};
use crate::names;
use crate::remark::{Place, Remark};
use pcie::config::{CapabilityId, ConfigSpace, Header, HeaderKind, walk};

/// The capability with the subsystem ids of a bridge.
const SUBSYSTEM: CapabilityId = CapabilityId::Standard(0x0d);
/// The PCI Express capability.
const EXPRESS: CapabilityId = CapabilityId::Standard(0x10);

impl Function {
    /// Decodes a function. Errors in the lists of capabilities become remarks at `place`.
    pub fn of_space(address: Address, space: ConfigSpace, remarks: &mut Vec<Remark>, place: &Place) -> Function {
        let header = Header::decode(&space);
        let mut function = Function { address, place: Some(place.clone()), header, ..Function::default() };
        if !function.header.answered() {
            // All ones: the function did not answer, so there is no header.
            function.header = Header::default();
            function.reach = Reach::Nothing;
            function.space = Some(space);
            return function;
        }
        let (capabilities, broken) = walk::capabilities(&space);
        let remark = |broken| Remark { place: place.clone(), what: format!("{address}: {broken}") };
        remarks.extend(broken.into_iter().map(remark));
        function.reach = reach(&space, capabilities.with_id(EXPRESS).is_some());
        function.capabilities = capabilities;
        function.bridge_subsystem();
        function.space = Some(space);
        function
    }
    /// Fills in names by id where the input gave none.
    pub fn name_by_ids(&mut self) {
        self.ids_by_name();
        let header = &self.header;
        let ids = header.vendor.zip(header.device);
        let by_ids = |known: &mut Option<String>, found: Option<String>| {
            if known.is_none() {
                *known = found;
            }
        };
        by_ids(&mut self.names.class, header.class.and_then(names::class));
        by_ids(&mut self.names.device, ids.and_then(|(vendor, device)| names::device(vendor, device)));
        let subsystem = ids.zip(header.subsystem).and_then(|(main, sub)| names::subsystem(main, sub));
        by_ids(&mut self.names.subsystem, subsystem);
    }
    /// Takes the ids from a printed name that contains them, and drops that name: the database here may have a better one.
    fn ids_by_name(&mut self) {
        let printed = self.names.device.as_deref().filter(|_| self.header.vendor.is_none()).and_then(names::ids_of);
        if let Some((vendor, device)) = printed {
            (self.header.vendor, self.header.device) = (Some(vendor), Some(device));
            self.names.device = None;
        }
    }
    /// Reads the subsystem ids of a bridge from a capability: its header has no field for them.
    fn bridge_subsystem(&mut self) {
        if self.header.kind != Some(HeaderKind::Bridge) {
            return;
        }
        let bytes = self.capabilities.with_id(SUBSYSTEM).map_or(&[][..], |capability| &capability.bytes);
        if let [_, _, _, _, v0, v1, d0, d1, ..] = *bytes {
            let ids = (u16::from_le_bytes([v0, v1]), u16::from_le_bytes([d0, d1]));
            self.header.subsystem = (ids != (0, 0)).then_some(ids);
        }
    }
}

/// How much of a function the bytes cover. Conventional PCI functions have 256 bytes, PCI Express functions 4096. If there are
/// fewer, registers were hidden.
fn reach(space: &ConfigSpace, express: bool) -> Reach {
    // A text that was cut short has a part of the header, and no function has this vendor.
    let has_vendor = space.u16(0).is_some_and(|vendor| vendor != 0xffff);
    let has_list = Header::decode(space).status.capabilities() == Some(true);
    match space.len() {
        0..64 if has_vendor => Reach::HeaderOnly,
        0..64 => Reach::Nothing,
        64..256 if has_list => Reach::HeaderOnly,
        256..4096 if express => Reach::Conventional,
        _ => Reach::Whole,
    }
}
