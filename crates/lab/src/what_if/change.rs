//! One improvement of a machine.

/// Where a change is made, in the order of what it costs a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sort {
    /// In the configuration of the machine: no new hardware is needed.
    Setting,
    /// A part is moved to a slot that is free.
    Slot,
    /// At a slot, a cable or a link, with parts that are there.
    Link,
    /// In a part: another one.
    Part,
}

impl Sort {
    /// The word for output.
    pub fn word(self) -> &'static str {
        match self {
            Sort::Setting => "setting",
            Sort::Slot => "slot",
            Sort::Link => "link",
            Sort::Part => "part",
        }
    }
}

/// One improvement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Improvement {
    /// What is changed, as in `card.read_requests`, `host.pcie - card.pcie`, `Max_Payload_Size`.
    pub what: String,
    /// Where it is made.
    pub sort: Sort,
    /// The present value.
    pub from: String,
    /// The improved value.
    pub to: String,
    /// The overrides that make the change, as `--set` takes them.
    pub sets: Vec<String>,
    /// The axis value that makes the change, if an axis of the experiment sets it.
    pub axis: Option<(String, String)>,
}
