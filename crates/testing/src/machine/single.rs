//! Single functions, for machines that test one question.

use super::GeneratedMachine;
use super::function::{Express, Function, Link, Other, PortType, Slot, class};

/// A link speed code (1 to 6) and a number of lanes.
pub type Rate = (u8, u8);

/// A machine with these functions and one NUMA node.
pub fn machine(mut functions: Vec<Function>) -> GeneratedMachine {
    functions.sort_by_key(|f| (f.domain, f.bdf));
    GeneratedMachine { functions, nodes: 1, group_type: "identity" }
}

/// A function integrated in a root complex, without a link.
pub fn integrated(bdf: (u8, u8, u8), id: (u16, u16), class: u32) -> Function {
    Function {
        domain: 0,
        bdf,
        id,
        subsystem: (id.0, 0x1234),
        class,
        buses: None,
        express: None,
        aer: None,
        acs: None,
        others: vec![Other::Power],
        multi: false,
        node: -1,
        group: None,
        driver: None,
        blocks: Vec::new(),
    }
}

/// A port that faces down, in a slot, or the upstream port of a switch; MPS 256, all it can do.
pub fn port(bdf: (u8, u8, u8), id: (u16, u16), kind: PortType, (able, now): (Rate, Rate), buses: (u8, u8)) -> Function {
    let down = kind != PortType::Upstream;
    let slot = down.then_some(Slot { hot_plug: false, present: now.1 > 0, number: u16::from(bdf.1) });
    let express = Express { slot, ..express(kind, able, now) };
    Function { buses: Some(buses), express: Some(express), ..integrated(bdf, id, class::BRIDGE) }
}

/// A device with a link; MPS 256, all it can do, MRRS 512.
pub fn endpoint(bdf: (u8, u8, u8), id: (u16, u16), class: u32, (own, now): (Rate, Rate)) -> Function {
    Function { express: Some(express(PortType::Endpoint, own, now)), ..integrated(bdf, id, class) }
}

fn express(port_type: PortType, able: Rate, now: Rate) -> Express {
    let link = Link {
        max_speed: able.0,
        max_width: able.1,
        speed: now.0,
        width: now.1,
        target: able.0,
        active: now.1 > 0 && port_type != PortType::Endpoint,
        aspm: (2, 0),
        port: 0,
    };
    Express {
        port_type,
        slot: None,
        payload: (1, 1),
        read_request: 2,
        ext_tag: (true, true),
        relaxed: true,
        status: 0,
        link: Some(link),
    }
}
