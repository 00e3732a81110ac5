//! What is refused of a kind that a crate above registers?

#![allow(clippy::unwrap_used)]

use lanescope_system::field::Params;
use lanescope_system::kind::{Declaration, Declared, Kind, Row, Shared, TreePosition};
use lanescope_system::operation::{End, Moves};
use lanescope_system::registry::{RegistryError, kinds, register};
use lanescope_system::{Demand, Description, Operation, schema};

lanescope_system::params! {
    /// A lamp: software stores to it.
    pub struct LampParams {
        /// How bright it is.
        brightness: u64 = 3,
    }
}

/// What no other kind does: a CPU stores to it, and it is darker.
const DIM: Operation = Operation::new("dim", (End::Host, End::Card), Moves::Writes, "a host to a lamp");
/// Of the same word, and something else.
const OTHER_DIM: Operation = Operation::new("dim", (End::Card, End::Host), Moves::Writes, "a lamp to a host");

const LAMP: Declaration = Declaration {
    word: "lamp",
    about: "it shines",
    place: TreePosition::Endpoint,
    operations: &[Operation::PioWrite, DIM],
    fields: LampParams::FIELDS,
    catalogue: &[],
    machines: &[],
    causes: &[],
    default: || Kind::new(LampParams::default()),
};

impl Declared for LampParams {
    const DECLARATION: Declaration = LAMP;
}

static GLARE: Declaration = Declaration { word: "glare", operations: &[OTHER_DIM], ..LAMP };
static HOST: Declaration = Declaration { word: "host", ..LAMP };
static ROOT: Declaration = Declaration { word: "root", place: TreePosition::Root, ..LAMP };
/// One that reads at a host what it writes at a card.
const ASTRAY: Operation = Operation::new("astray", (End::Card, End::Host), Moves::Both, "from a card to a host");
static BOTH: Declaration = Declaration { word: "both", operations: &[ASTRAY], ..LAMP };
static MOVER: Declaration = Declaration { word: "mover", operations: &[Operation::DmaWrite], ..LAMP };

lanescope_system::params! {
    /// One whose field is called as one of all ports.
    pub struct MpsParams {
        /// Taken.
        mps: u64 = 3,
    }
}

static TAKEN: Declaration = Declaration { word: "taken", fields: MpsParams::FIELDS, ..LAMP };

lanescope_system::params! {
    /// One that does not declare what its flows wait for.
    pub struct ForgetfulParams {
        /// How slow it is.
        rate: pcie::Rate = pcie::Rate(1e9),
    }
}

impl Declared for ForgetfulParams {
    const DECLARATION: Declaration = Declaration {
        word: "forgetful",
        fields: ForgetfulParams::FIELDS,
        default: || Kind::new(ForgetfulParams::default()),
        ..LAMP
    };
    fn rows(&self, _: &Demand) -> Vec<Row> {
        vec![Row::new("the fuse", self.rate, Shared::Part(Shared::ROWS))]
    }
}

static FORGETFUL: Declaration = ForgetfulParams::DECLARATION;
static NUMBERED: Declaration = Declaration { causes: &["the fuse"], ..ForgetfulParams::DECLARATION };
static TAKEN_CAUSE: Declaration = Declaration { word: "hungry", causes: &["memory"], ..LAMP };

/// One test, for kinds are registered once a process.
#[test]
fn is_a_kind_that_does_not_go_together_refused_and_one_that_does_known_everywhere() {
    assert_eq!(register(&[&HOST]), Err(RegistryError::Twice("host")));
    assert_eq!(register(&[&ROOT]), Err(RegistryError::Root("root")));
    assert_eq!(register(&[&MOVER]), Err(RegistryError::Engine("mover")));
    assert_eq!(register(&[&BOTH]), Err(RegistryError::Both("astray")));
    let undeclared = RegistryError::Undeclared { kind: "forgetful", cause: "the fuse" };
    assert_eq!(register(&[&FORGETFUL]), Err(undeclared));
    assert_eq!(register(&[&NUMBERED]), Err(RegistryError::Row { kind: "forgetful", number: Shared::ROWS }));
    assert_eq!(register(&[&TAKEN_CAUSE]), Err(RegistryError::Cause { kind: "hungry", cause: "memory" }));
    let many: &'static [&'static str] = (0..22).map(|n| &*format!("cause {n}").leak()).collect::<Vec<_>>().leak();
    let many: &'static Declaration = Box::leak(Box::new(Declaration { causes: many, ..LAMP }));
    assert_eq!(register(&[many]), Err(RegistryError::Causes(22)));
    assert_eq!(register(&[&TAKEN]), Err(RegistryError::Field { kind: "taken", field: "mps" }));
    assert_eq!(register(&[&LampParams::DECLARATION, &GLARE]), Err(RegistryError::Twice("dim")));
    assert_eq!(register(&[&LampParams::DECLARATION]), Ok(()));
    assert_eq!(register(&[&LampParams::DECLARATION]), Ok(()), "again does nothing");
    assert_eq!(register(&[]), Err(RegistryError::Late));
    assert!(kinds().iter().any(|kind| kind.word == "lamp"));

    let machine = |flow: &str| {
        let text = format!(
            "title: a lamp\nparts:\n  host: {{ part: generic/gen3-host, slots: {{ pcie: gen3 x1 }} }}\n\
             \x20 lamp: {{ kind: lamp, brightness: 7, ports: {{ pcie: gen3 x1 }} }}\nlinks:\n  - host.pcie - lamp.pcie\n\
             experiments:\n  glow: {{ {flow}, volume: 4 KiB }}\n"
        );
        let description = Description::from_text("lamp.yaml", &text)?;
        description.scenario(description.experiment("glow").unwrap(), &Default::default())
    };
    let scenario = machine("operation: pio-write, flows: [host -> lamp]").unwrap();
    assert_eq!(scenario.system.parts[1].value("brightness").unwrap(), "7");
    let dims = machine("operation: dim, flows: [host -> lamp]").unwrap();
    assert!(dims.flows[0].operation == DIM && dims.flows[0].operation.is_pio());
    assert!(machine("operation: dim, flows: [lamp -> host]").is_err(), "its ways are its own");
    let unknown = machine("operation: shine, flows: [host -> lamp]").unwrap_err().report();
    assert!(unknown.contains("`loopback` `dim`"), "{unknown}");
    assert!(schema::schema().to_string().contains("\"dim\""), "an editor completes it");
    let error = machine("operation: dma-read, flows: [host -> lamp]").unwrap_err().report();
    assert!(error.contains("which other cards do not reach") || error.contains("does no dma-read"), "{error}");
}
