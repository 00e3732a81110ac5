//! The sets of the bundled reference rows: each file is a set, and so are the rows of one machine in a file.

use crate::bundled::FILES;
use crate::error::Error;
use crate::reference::{self, Reference};
use system::suggest::suggest;

/// A set of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set {
    /// Its name: that of the file, or of a machine in it.
    pub name: String,
    /// One line about it.
    pub about: String,
    /// The number of its rows.
    pub rows: usize,
}

/// All sets: each file, followed by the machines in it if there are several or its name differs.
///
/// # Errors
/// An error in a bundled file; none otherwise.
pub fn all() -> Result<Vec<Set>, Error> {
    let mut sets: Vec<Set> = Vec::new();
    for (file, reference) in FILES.iter().zip(reference::bundled()?) {
        sets.push(Set { name: reference.name.clone(), about: file.about.into(), rows: reference.rows.len() });
        let mut systems: Vec<&str> = reference.rows.iter().map(|row| row.system.as_str()).collect();
        systems.sort_unstable();
        systems.dedup();
        for system in systems.into_iter().filter(|system| *system != reference.name) {
            let rows = reference.rows.iter().filter(|row| row.system == system).count();
            sets.push(Set {
                name: system.to_string(),
                about: format!("The rows of {system} in {}", reference.name),
                rows,
            });
        }
    }
    Ok(sets)
}

/// The rows of some sets, by file, in the order of the files. A row that several of the sets have appears once.
///
/// # Errors
/// A name of no set, with the nearest that exists.
pub fn chosen(names: &[String]) -> Result<Vec<Reference>, Error> {
    let sets = all()?;
    if let Some(unknown) = names.iter().find(|name| sets.iter().all(|set| set.name != **name)) {
        let right = suggest(unknown, sets.iter().map(|set| set.name.as_str()));
        return Err(Error::asked(format!("there is no set `{unknown}` of reference rows"), right));
    }
    let mut references = reference::bundled()?;
    for reference in &mut references {
        if !names.contains(&reference.name) {
            reference.rows.retain(|row| names.contains(&row.system));
        }
    }
    references.retain(|reference| !reference.rows.is_empty());
    Ok(references)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: &[&str]) -> Vec<(String, usize)> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_string()).collect();
        chosen(&names).unwrap().into_iter().map(|reference| (reference.name, reference.rows.len())).collect()
    }

    #[test]
    fn a_file_and_a_machine_are_sets_and_a_row_of_two_sets_is_taken_once() {
        assert_eq!(rows(&["kfcr"]), [("kfcr".to_string(), 38)]);
        assert_eq!(rows(&["kfcr-x38"]), [("kfcr".to_string(), 6)]);
        assert_eq!(rows(&["kfcr-x38", "kfcr", "kfcr-5400"]), [("kfcr".to_string(), 38)]);
        assert_eq!(rows(&["rosta", "kfcr-x38"]).len(), 2);
        let of_all: usize = all().unwrap().iter().filter(|set| rows(&[&set.name])[0].1 == set.rows).count();
        assert_eq!(of_all, all().unwrap().len());
    }

    #[test]
    fn a_name_of_no_set_finds_the_nearest() {
        let right = |name: &str| chosen(&[name.to_string()]).unwrap_err().right();
        assert!(right("kfcr-5401").contains("kfcr-5400"), "{}", right("kfcr-5401"));
        assert!(right("nothing-like-it").contains("rosta"));
    }
}
