//! The matrix of the rates at which each device could write to each other. Devices with the same figures share one row
//! and one column. Columns that do not fit are in further tables below.

use super::Printer;
use super::cost::mb;
use crate::layout::{Side, Table};
use probe::address::Address;
use probe::limits::PeerLimit;
use std::collections::BTreeMap;

/// Largest number of addresses listed in a row.
const MOST_NAMES: usize = 6;

/// The rates between pairs of devices.
struct Cells<'a> {
    pairs: BTreeMap<(Address, Address), &'a PeerLimit>,
}

impl Cells<'_> {
    fn text(&self, from: Address, to: Address) -> String {
        self.pairs.get(&(from, to)).map_or("-".to_string(), |pair| cell(pair))
    }
    /// True where two devices have the same rates to and from all others, and the same rate to each other in both
    /// directions.
    fn alike(&self, ends: &[Address], one: Address, other: Address) -> bool {
        let same = |&end: &Address| {
            self.text(one, end) == self.text(other, end) && self.text(end, one) == self.text(end, other)
        };
        self.text(one, other) == self.text(other, one)
            && ends.iter().filter(|end| ![one, other].contains(end)).all(same)
    }
}

impl Printer<'_> {
    /// The matrix: a row for each writer, a column for each target.
    pub(super) fn matrix(&self, pairs: &[PeerLimit]) -> String {
        let cells = Cells { pairs: pairs.iter().map(|pair| ((pair.from, pair.to), pair)).collect() };
        let mut ends: Vec<Address> = pairs.iter().flat_map(|pair| [pair.from, pair.to]).collect();
        ends.sort_unstable();
        ends.dedup();
        if ends.is_empty() {
            return (self.paint.heading)("no two devices that write to one another") + "\n";
        }
        let groups = self.groups(&cells, &ends);
        let mut text = String::new();
        let mut rest = groups.as_slice();
        while !rest.is_empty() {
            let fits = (1..=rest.len()).take_while(|&count| self.part(&cells, &groups, &rest[..count]).is_ok()).last();
            let (now, later) = rest.split_at(fits.unwrap_or(1));
            text += &self.part(&cells, &groups, now).unwrap_or_else(|wide| wide);
            rest = later;
        }
        text + "r: through the root; a: sent through the root by ACS; s: from socket to socket\n"
    }
    /// The groups of devices that share a row.
    fn groups(&self, cells: &Cells<'_>, ends: &[Address]) -> Vec<Vec<Address>> {
        let mut groups: Vec<Vec<Address>> = Vec::new();
        for &end in ends {
            // A device that is like the first of a group is like all of them.
            let joins = |group: &&mut Vec<Address>| group.first().is_some_and(|&first| cells.alike(ends, first, end));
            match groups.iter_mut().filter(|_| !self.paint.all).find(joins) {
                Some(group) => group.push(end),
                None => groups.push(vec![end]),
            }
        }
        groups
    }
    /// A table with some of the columns; an error where it is too wide.
    fn part(&self, cells: &Cells<'_>, rows: &[Vec<Address>], columns: &[Vec<Address>]) -> Result<String, String> {
        let heads: Vec<String> = columns.iter().map(|group| self.head(group)).collect();
        let mut head = vec![("MB/s, from \\ to", Side::Left)];
        head.extend(heads.iter().map(|head| (head.as_str(), Side::Right)));
        let mut table = Table::new(0, &head);
        for row in rows {
            let names: Vec<String> = row.iter().map(|&at| self.name(at)).collect();
            let to = |column: &Vec<Address>| between(row, column).map_or("-".to_string(), |(a, b)| cells.text(a, b));
            let most = if self.paint.all { usize::MAX - 1 } else { MOST_NAMES };
            let texts = std::iter::once(crate::layout::list(&names, most)).chain(columns.iter().map(to));
            table.row(texts);
        }
        let text = table.text(self.paint.width, self.paint.heading);
        if text.lines().all(|line| crate::layout::width(line) <= self.paint.width) { Ok(text) } else { Err(text) }
    }
    /// The head of a column: `01:00.0`, or `01:00.0 +10` for a group.
    fn head(&self, group: &[Address]) -> String {
        let first = group.first().map_or(String::new(), |&at| self.name(at));
        if group.len() > 1 { format!("{first} +{}", group.len() - 1) } else { first }
    }
}

/// Two different devices, one from each group. The groups may be the same.
fn between(row: &[Address], column: &[Address]) -> Option<(Address, Address)> {
    row.iter().flat_map(|&from| column.iter().map(move |&to| (from, to))).find(|(from, to)| from != to)
}

fn cell(pair: &PeerLimit) -> String {
    let marks = [(pair.through_root, 'r'), (pair.redirected, 'a'), (pair.nodes.is_some(), 's')];
    let marks: String = marks.into_iter().filter(|(is, _)| *is).map(|(_, mark)| mark).collect();
    format!("{}{marks}", mb(pair.limited.rate))
}
