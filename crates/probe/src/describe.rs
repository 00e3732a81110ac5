//! A machine as a description that `lanescope show`, `limit` and `run` read: the inverse of [`settle`](system::settle).
//!
//! [`text`] writes the parts of a [`Model`](crate::model::Model) with what registers say of them, the links with what their ends can and what they
//! trained to, Max_Payload_Size and Max_Read_Request_Size as found, and experiments for the devices that move data. A figure
//! that no register holds is written as `assumed`, with what is usual. It is not a second model: parts, links and sizes are
//! those of which `inspect` asks its limits, and what the written description settles to is compared with them before it is
//! given away. What a description cannot say stands beside it, as a comment.
//!
//! | word | meaning |
//! |---|---|
//! | name | of a part or a port, by role and address: `gpu_01_00_0`, `p00_01_1` |
//! | by hand | a size that firmware would have settled otherwise: `setpci` |
//! | beside | what does not fit: devices without a figure, links without a meaning, contradictions |

mod beside;
pub mod built;
mod compare;
mod experiments;
mod lines;
mod names;
mod parts;
mod source;

pub use compare::Apart;

use crate::machine::Machine;
use crate::report::Report;
use crate::tree::Tree;
use crate::view::View;
use names::Names;
use source::Source;
use system::Description;

/// A machine, described.
#[derive(Clone, Debug)]
pub struct Described {
    /// The description, YAML.
    pub text: String,
    /// In what it settles to something else than was observed; empty unless a description cannot say it.
    pub apart: Vec<Apart>,
}

/// The description of a machine; `None` where no link says what it carries.
pub fn describe(machine: &Machine, tree: &Tree, report: &Report) -> Option<Described> {
    if report.model.system.links.is_empty() {
        return None;
    }
    let view = View::new(machine, tree, &report.model);
    let mut source = Source { view: &view, report, names: Names::of(&report.model), whole: false };
    let first = written(&source);
    if first.apart.is_empty() {
        return Some(first);
    }
    source.whole = true;
    let whole = written(&source);
    Some(if whole.apart.len() < first.apart.len() { whole } else { first })
}

fn written(source: &Source<'_>) -> Described {
    let text = text(source);
    let system = Description::from_text("described.yaml", &text).and_then(|description| description.system());
    let apart = compare::apart(&source.report.model.system, &source.names, system.as_ref());
    let text = apart.iter().fold(text, |text, apart| text + &format!("# not as found: {apart}\n"));
    Described { text, apart }
}

fn text(source: &Source<'_>) -> String {
    let machine = source.view.machine;
    let mut out = lines::Lines::default();
    out.comment(&format!("Described from {}. What no register says is marked `assumed`.", machine.name));
    out.comment(
        "lanescope show FILE: the machine; lanescope limit FILE: what its links allow; lanescope run FILE: simulated",
    );
    let title = machine.product.as_deref().filter(|product| !product.is_empty()).unwrap_or(&machine.name);
    out.line(0, &format!("title: {}", lines::quoted(title)));
    parts::parts(source, &mut out);
    parts::links(source, &mut out);
    out.line(0, "settings: { mps_policy: path, bars: above 4 GiB, segments: root-port }");
    experiments::write(source, &mut out);
    beside::write(source, &mut out);
    out.text
}
