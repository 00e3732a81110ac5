//! The fitted figures that comparisons depend on: each once, with the rows it was fitted on.

use crate::reference::{self, Row};
use crate::selection::Selection;
use std::collections::BTreeSet;
use system::{Origin, System};

/// Choices that the standard leaves to a part: where a TLP starts, when UpdateFC is sent, the order in which reads are
/// served, RCB. Measurements show which choice was made, but no physical quantity was adjusted. These choices are
/// printed, but not counted.
pub const PERMITTED_CHOICES: [&str; 4] = ["start_alignment", "update_fc", "serve_reads", "rcb"];

/// One figure that was fitted on measurements.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fitted {
    /// The catalogue's entry, or the part if it has none.
    pub model: String,
    /// The name of the figure; several names if one number was fitted for all of them.
    pub field: String,
    /// The value, as written in a description.
    pub value: String,
    /// The rows it was fitted on.
    pub on: String,
}

/// All fitted figures of some machines, each once. Parts of one model share their figures, several models may share
/// one, and one fitted number in several fields of a part counts once.
pub fn fitted<'a>(systems: impl IntoIterator<Item = &'a System>) -> Vec<Fitted> {
    let all: BTreeSet<Fitted> = systems.into_iter().flat_map(|system| &system.parts).flat_map(of_part).collect();
    let mut seen = BTreeSet::new();
    let each = all.into_iter().filter(|f| seen.insert((f.field.clone(), f.value.clone(), f.on.clone())));
    each.fold(Vec::new(), |mut merged: Vec<Fitted>, figure| {
        let same = |f: &&mut Fitted| (&f.model, &f.value, &f.on) == (&figure.model, &figure.value, &figure.on);
        match merged.iter_mut().find(same) {
            Some(first) => first.field = format!("{}, {}", first.field, figure.field),
            None => merged.push(figure),
        }
        merged
    })
}

impl Fitted {
    /// True if the text of the figure says that it was fitted on this row. `rosta.csv host-write payload=8 to 32` names
    /// a file and a [`Selection`] of its rows; text after `;` or `:` is a remark. For a file bundled with lanescope,
    /// the text selects only bundled rows, unless it names the system and every axis of a row. Another row in a file of
    /// that name (another payload, another host, another value) was not fitted on.
    pub fn is_on(&self, reference: &str, row: &Row) -> bool {
        let said = self.on.split([';', ':']).next().unwrap_or_default().trim();
        let (file, rows) = said.split_once(' ').unwrap_or((said, ""));
        let stem = file.strip_suffix(".csv").map(|path| path.rsplit('/').next().unwrap_or(path));
        let Some(rows) = Selection::parse(rows).ok().filter(|_| stem == Some(reference)) else { return false };
        if rows.is_whole() {
            return rows.names(row);
        }
        let own = reference::bundled_named(reference).map(|own| own.rows.iter().any(|known| known.is_same(row)));
        rows.takes(row) && own.unwrap_or(true)
    }
    /// False for a choice that the standard leaves to a part.
    pub fn counts(&self) -> bool {
        !PERMITTED_CHOICES.contains(&self.field.as_str())
    }
}

fn of_part(part: &system::Node) -> impl Iterator<Item = Fitted> {
    part.figures.iter().filter_map(|figure| match &figure.origin {
        Origin::Fitted(on) => Some(Fitted {
            model: part.model.clone(),
            field: figure.field.to_string(),
            value: figure.value.clone(),
            on: on.clone(),
        }),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reference;

    #[test]
    fn which_rows_a_figure_was_fitted_on_is_read_from_its_text() {
        let rosta = reference::bundled().unwrap().remove(1);
        let count = |text: &str| {
            let fitted =
                Fitted { model: String::new(), field: String::new(), value: String::new(), on: text.to_string() };
            rosta.rows.iter().filter(|row| fitted.is_on("rosta", row)).count()
        };
        assert_eq!(count("rosta.csv p2p-latency"), 2);
        assert_eq!(count("rosta.csv p2p-write flows=2 to 4"), 3);
        assert_eq!(count("rosta.csv host-write throughput_app"), 1);
        assert_eq!(count("rosta.csv host-read-many devices=1; more words"), 1);
        assert_eq!(count("rosta.csv p2p-write flows=2..4 or p2p-latency but flows=3; 4 rows"), 4);
        assert_eq!(count("reference/rosta.csv"), rosta.rows.len());
        assert_eq!((count("kfcr.csv p2p-write"), count("by hand")), (0, 0));
    }

    /// Modified rows of the rig's file, in a file of the same name.
    #[test]
    fn a_row_of_another_payload_switch_host_or_value_was_not_fitted_on() {
        let fitted = |text: &str| Fitted { on: text.to_string(), ..Fitted::default() };
        let marked = |on: &str, file: &str, row: &str| {
            let text = format!("{}\n{row}\n", crate::reference::COLUMNS.join(","));
            let rows = crate::reference::parse(&format!("{file}.csv"), &text).unwrap().rows;
            fitted(on).is_on(file, &rows[0])
        };
        let write = "rosta.csv p2p-write flows=1";
        assert!(marked(write, "rosta", "rosta-rb8v7,p2p-write,flows=1;payload=128,throughput_per_flow,1603,MiB/s,,"));
        assert!(!marked(write, "rosta", "rosta-rb8v7,p2p-write,flows=1;payload=256,throughput_per_flow,1603,MiB/s,,"));
        assert!(!marked(write, "rosta", "rosta-rb8v7,p2p-write,flows=1;payload=128,throughput_per_flow,1500,MiB/s,,"));
        let link = "rosta.csv host-write throughput_link";
        assert!(!marked(link, "rosta", "rosta-rb8v7,host-write,payload=64,throughput_link,1300,MiB/s,,"));
        let latency = "rosta.csv p2p-latency";
        assert!(marked(latency, "rosta", "rosta-rb8v7,p2p-latency,switches=1,latency,706,ns,,"));
        assert!(!marked(latency, "rosta", "rosta-rb8v7,p2p-latency,switches=3,latency,1100,ns,,"));
        assert!(!marked(latency, "rosta", "rosta-rb8v7,p2p-latency,switches=1;payload=256,latency,706,ns,,"));
        let at = "core=kf;lanes=8;size=512,throughput,210.115996,MB/s,,";
        assert!(marked("kfcr.csv dma-read", "kfcr", &format!("kfcr-5400,dma-read,{at}")));
        assert!(!marked("kfcr.csv dma-read", "kfcr", &format!("kfcr-x38,dma-read,{at}")));
        // For a user's own file there are no bundled rows to compare with. A text that names everything applies as
        // written.
        assert!(marked("mine.csv dma-read", "mine", &format!("mine.yaml,dma-read,{at}")));
        let whole = "mine.csv system=mine.yaml dma-read core=kf lanes=8 size=512,1024 throughput; 2 rows";
        assert!(marked(whole, "mine", &format!("mine.yaml,dma-read,{at}")));
        assert!(!marked(whole, "mine", &format!("mine.yaml,dma-read,payload=64;{at}")));
        assert!(!marked(whole, "mine", &format!("other.yaml,dma-read,{at}")));
    }

    #[test]
    fn a_choice_that_the_standard_permits_does_not_count() {
        let field = |field: &str| Fitted {
            model: String::new(),
            field: field.to_string(),
            value: String::new(),
            on: String::new(),
        };
        assert!(field("read_latency").counts() && !field("start_alignment").counts());
    }
}
