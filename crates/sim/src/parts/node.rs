//! A part of any kind.

use crate::link::fabric::{Fabric, Sent};
use crate::parts::Seated;
use crate::parts::host::Host;
use crate::parts::part::Part;

/// The parts that this crate brings, without dynamic dispatch, and room for others.
pub(crate) enum Node {
    /// A switch lives in the fabric.
    Switch,
    Host(Box<Host>),
    Other(Box<Seated>),
}

impl Part for Node {
    fn receive(&mut self, fabric: &mut Fabric, tlp: u32) {
        match self {
            Node::Switch => {}
            Node::Host(host) => host.receive(fabric, tlp),
            Node::Other(other) => other.receive(fabric, tlp),
        }
    }
    fn wake(&mut self, fabric: &mut Fabric, token: u32) {
        match self {
            Node::Switch => {}
            Node::Host(host) => host.wake(fabric, token),
            Node::Other(other) => other.with(fabric, |part, face| part.wake(face, token)),
        }
    }
    fn sent(&mut self, fabric: &mut Fabric, sent: Sent) {
        match self {
            Node::Switch => {}
            Node::Host(host) => host.sent(fabric, sent),
            Node::Other(other) => other.with(fabric, |part, face| part.sent(face, sent.into())),
        }
    }
    fn start(&mut self, fabric: &mut Fabric) {
        match self {
            Node::Switch => {}
            Node::Host(host) => host.start(fabric),
            Node::Other(other) => other.with(fabric, |part, face| part.start(face)),
        }
    }
}
