//! The option `--axis name=value,...`, and the choice of experiments.

use crate::error::{Complaint, Error};
use lab::DescribedMachine;
use system::Experiment;

/// Parses values of axes. The result has each axis once; values given separately for one axis are joined.
///
/// # Errors
/// Text that is not `name=value,...`; a value twice.
pub fn parse(asked: &[String]) -> Result<Vec<(String, Vec<String>)>, Error> {
    let mut axes: Vec<(String, Vec<String>)> = Vec::new();
    for text in asked {
        let pair = text.split_once('=').map(|(name, values)| (name.trim(), values));
        let values = |values: &str| -> Vec<String> { values.split(',').map(|v| v.trim().to_string()).collect() };
        match pair {
            Some((name, given)) if !name.is_empty() && values(given).iter().all(|v| !v.is_empty()) => {
                let at = axes.iter().position(|(known, _)| known == name).unwrap_or_else(|| {
                    axes.push((name.to_string(), Vec::new()));
                    axes.len() - 1
                });
                for value in values(given) {
                    let known = &mut axes[at].1;
                    if known.contains(&value) {
                        let what = format!("`{name}={value}` is asked for twice");
                        return Err(Complaint::new(what, "each value of an axis once").into());
                    }
                    known.push(value);
                }
            }
            _ => {
                let right = "an axis and its values, as in `--axis payload=128,256`";
                return Err(Complaint::new(format!("`--axis {text}` says nothing"), right).into());
            }
        }
    }
    Ok(axes)
}

/// The experiments that a command processes: all of a machine, or the named one.
///
/// # Errors
/// A name that no experiment has; a machine without experiments.
pub fn chosen<'a>(machine: &'a DescribedMachine, name: Option<&str>) -> Result<Vec<&'a Experiment>, Error> {
    let description = machine.description();
    match name {
        Some(name) => Ok(vec![description.experiment(name)?]),
        None if description.experiments().is_empty() => {
            let what = format!("{} describes no experiments", description.name());
            Err(Complaint::new(what, "give it a section `experiments:`, see docs/describe.md").into())
        }
        None => Ok(description.experiments().iter().collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_gathers_its_values_and_nonsense_is_refused() {
        let parse = |texts: &[&str]| parse(&texts.iter().map(|t| (*t).to_string()).collect::<Vec<_>>());
        let axes = parse(&["payload=128, 256", "flows=ring8", "payload=64"]).unwrap();
        assert_eq!(axes[0], ("payload".to_string(), vec!["128".to_string(), "256".into(), "64".into()]));
        assert!(parse(&["cards=1,1"]).is_err() && parse(&["cards=1", "cards=2,1"]).is_err());
        assert!(parse(&["payload"]).is_err() && parse(&["payload=1,,2"]).is_err() && parse(&["=1"]).is_err());
    }
}
