//! What could be bought.

use crate::key::number;
use system::source::{Source, Text};
use system::suggest::suggest;
use system::yaml::YamlNode;
use system::{Error, FieldType, Problem, catalogue};

/// The most drives of a candidate.
const MOST_DRIVES: u64 = 64;
/// The field of a controller that says how many drives it has, that of its protocol, and the word for AHCI.
const BEHIND: &str = "sata_ports";
const PROTOCOL: &str = "protocol";
const AHCI: &str = "ahci";
const TEXT: &str = include_str!("candidates.yaml");

/// A number of drives that are alike.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// What it is.
    pub about: String,
    /// The part of the catalogue: a drive, or a controller with drives.
    pub part: String,
    /// Drives; several are a stripe.
    pub drives: u64,
    /// Drives at one part.
    pub on_one: u64,
    /// The name of the ports that are meant for it, where a machine has them. Nothing else takes such a port.
    pub slot: Option<String>,
}

/// What a part is beside its lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// A drive that is an endpoint itself.
    Drive,
    /// A controller with SATA drives, as chipsets have them.
    Ahci,
    /// A card.
    Card,
}

impl Candidate {
    /// What its part is, by its kind and protocol.
    ///
    /// # Errors
    /// It is not in the catalogue.
    pub(crate) fn form(&self) -> Result<Form, lab::Error> {
        let entry = catalogue::by_name(&self.part)?;
        let field = |name: &str| entry.lines().into_iter().find(|line| line.field == name).map(|line| line.value);
        Ok(match (field(BEHIND), field(PROTOCOL).as_deref()) {
            (None, _) => Form::Drive,
            (Some(_), Some(AHCI)) => Form::Ahci,
            (Some(_), _) => Form::Card,
        })
    }
    /// Checks that its part has as many drives as it says.
    ///
    /// # Errors
    /// It has fewer; or it is not in the catalogue.
    pub(crate) fn check(&self) -> Result<(), lab::Error> {
        let lines = catalogue::by_name(&self.part)?.lines();
        let behind = lines.iter().find(|line| line.field == BEHIND).and_then(|line| u64::parse(&line.value));
        let most = behind.unwrap_or(1);
        if self.on_one <= most {
            return Ok(());
        }
        let what = format!("{}: {} drives on one `{}`, which has {most}", self.name, self.on_one, self.part);
        Err(lab::Error::asked(what, format!("`on_one:` {most} or less; `drives:` is the number of all drives")))
    }
    /// How many parts it takes, each in a slot.
    pub fn parts(&self) -> u64 {
        self.drives.div_ceil(self.on_one)
    }
}

/// The usual candidates.
pub(crate) fn usual() -> Result<Vec<Candidate>, Error> {
    read(&YamlNode::parse(&Source::new("candidates.yaml", TEXT))?)
}

/// A section `candidates:`.
pub(crate) fn read(node: &YamlNode) -> Result<Vec<Candidate>, Error> {
    node.map("`candidates`")?.iter().map(|(name, node)| candidate(name, node)).collect()
}

fn candidate(name: &Text, node: &YamlNode) -> Result<Candidate, Error> {
    let mut found = Candidate {
        name: name.text.clone(),
        about: String::new(),
        part: String::new(),
        drives: 1,
        on_one: 1,
        slot: None,
    };
    for (key, node) in node.map(&format!("candidate `{}`", name.text))? {
        let text = node.text(&format!("`{}`", key.text))?;
        match key.text.as_str() {
            "about" => found.about = text.text,
            "part" => {
                if let Some(wrong) = text.text.find(|c: char| !(c.is_ascii_alphanumeric() || "/-_.".contains(c))) {
                    let problem = Problem::Value { field: "`part`".into(), value: text.text[wrong..].to_string() };
                    return Err(Error::new(&text.place, problem, "write an entry of `lanescope parts`"));
                }
                found.part = text.text;
            }
            "drives" => found.drives = number(key, &text, MOST_DRIVES)?,
            "on_one" => found.on_one = number(key, &text, MOST_DRIVES)?,
            "slot" => found.slot = Some(text.text),
            other => {
                let problem = Problem::Unknown { what: "key of a candidate".into(), name: other.into() };
                return Err(Error::new(
                    &key.place,
                    problem,
                    suggest(other, ["about", "part", "drives", "on_one", "slot"]),
                ));
            }
        }
    }
    if found.part.is_empty() {
        let problem = Problem::Missing { what: format!("candidate `{}`", name.text), key: "part" };
        return Err(Error::new(
            &name.place,
            problem,
            "write an entry of `lanescope parts`, as in `part: ssd/gen4-nvme`",
        ));
    }
    if found.about.is_empty() {
        found.about.clone_from(&found.name);
    }
    Ok(found)
}
