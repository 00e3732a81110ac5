//! A machine as a description that `lanescope show`, `limit` and `run` read: the inverse of [`settle`](system::settle).
//!
//! [`describe`] writes the parts of a [`Model`](crate::model::Model) with what registers say of them, the links with what
//! their ends can and what they trained to, Max_Payload_Size and Max_Read_Request_Size as found, and experiments for the
//! devices that move data. A figure that no register holds is `assumed`, with what parts of the catalogue have. It is no second
//! model: parts, links and sizes are those of which `inspect` asks its limits, and what the written description settles to is
//! compared with them before it is given away. What a description cannot say stands beside it, as a comment.
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

pub use beside::not_understood;
pub use compare::Apart;

use crate::machine::Machine;
use crate::report::Report;
use crate::tree::Tree;
use crate::view::View;
use source::Source;
use system::Description;

/// A machine, described.
#[derive(Clone, Debug)]
pub struct Described {
    /// The description, YAML.
    pub text: String,
    /// In what it settles to something else than was observed; empty unless a description cannot say it.
    pub apart: Vec<Apart>,
    /// Lines of the input that were not understood, and contradictions.
    pub remarks: usize,
    /// Devices with experiments.
    pub devices: usize,
}

/// Why a machine cannot be described.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// No link says what it carries; with the reason of the first, where one is known.
    #[error("no link here says what it carries{}", .0.as_ref().map_or(String::new(), |why| format!(" ({why})")))]
    NoLink(Option<String>),
    /// A description of it is none.
    #[error("it cannot be described: {0}")]
    Beyond(String),
}

/// The description of a machine.
///
/// # Errors
/// No link says what it carries, or there is more of something than a description may have.
pub fn describe(machine: &Machine, tree: &Tree, report: &Report) -> Result<Described, Refused> {
    let view = View::new(machine, tree, &report.model);
    if report.model.system.links.is_empty() {
        let why = report.model.left_out.first().map(|(at, why)| format!("{}: {why}", view.name(*at)));
        return Err(Refused::NoLink(why));
    }
    let mut source = Source::new(&view, report);
    let first = written(&source)?;
    if first.apart.is_empty() {
        return Ok(first);
    }
    source.whole = true;
    let whole = written(&source)?;
    Ok(if whole.apart.len() < first.apart.len() { whole } else { first })
}

fn written(source: &Source<'_>) -> Result<Described, Refused> {
    let text = text(source);
    let system = Description::from_text("described.yaml", &text).and_then(|description| description.system());
    let system = system.map_err(|error| Refused::Beyond(error.to_string()))?;
    let apart = compare::apart(&source.report.model.system, &source.names, &system);
    let text = apart.iter().fold(text, |text, apart| text + &format!("# not as found: {apart}\n"));
    let (remarks, devices) = (source.view.machine.remarks.len(), source.report.limits.devices.len());
    Ok(Described { text, apart, remarks, devices })
}

fn text(source: &Source<'_>) -> String {
    let machine = source.view.machine;
    let mut out = lines::Lines::default();
    out.comment(&format!("Described from {}. What no register says is marked `assumed`.", machine.name));
    out.comment("lanescope show FILE: the machine; limit FILE: what its links allow; run FILE: the same, simulated.");
    out.comment("Of BARs it is said whether they lie above 4 GiB, and not how large they are.");
    let title = machine.product.as_deref().filter(|product| !product.is_empty()).unwrap_or(&machine.name);
    out.line(0, &format!("title: {}", lines::quoted(title)));
    parts::parts(source, &mut out);
    parts::links(source, &mut out);
    out.line(0, "settings: { mps_policy: path, bars: above 4 GiB, segments: root-port }");
    experiments::write(source, &mut out);
    beside::write(source, &mut out);
    out.text
}
