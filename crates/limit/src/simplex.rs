//! Weights of rows for the least bound of a sum: the dual of a small linear program, by the simplex method.
//!
//! The program: columns between 0 and 1, each worth something; rows in which the shares of the columns are at most 1 in
//! all. Columns that are alike are one with a multiplicity. Rows that have no column in common are solved one group after
//! another. The work of a group is bounded; weights are not negative wherever it ends.

use std::collections::BTreeMap;

/// Cells that the search of one group changes at most: some tens of milliseconds.
const CELLS: usize = 20_000_000;
/// What is no gain.
const NONE: f64 = 1e-11;

/// A weight for each row, not negative. `worths` has what each column is worth.
pub fn weights(rows: &[Vec<(usize, f64)>], worths: &[f64]) -> Vec<f64> {
    let mut weights = vec![0.0; rows.len()];
    for group in groups(rows) {
        let found = Tableau::new(&group, rows, worths).solve();
        group.iter().zip(found).for_each(|(&row, weight)| weights[row] = weight.max(0.0));
    }
    weights
}

/// The rows that have columns in common, directly or over others.
fn groups(rows: &[Vec<(usize, f64)>]) -> Vec<Vec<usize>> {
    let mut above: Vec<usize> = (0..rows.len()).collect();
    fn top(above: &mut [usize], mut row: usize) -> usize {
        while above[row] != row {
            above[row] = above[above[row]];
            row = above[row];
        }
        row
    }
    let mut first: BTreeMap<usize, usize> = BTreeMap::new();
    for (row, columns) in rows.iter().enumerate() {
        for &(column, _) in columns {
            let other = *first.entry(column).or_insert(row);
            let (one, other) = (top(&mut above, row), top(&mut above, other));
            above[one] = other;
        }
    }
    let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    (0..rows.len()).for_each(|row| groups.entry(top(&mut above, row)).or_default().push(row));
    groups.into_values().collect()
}

/// A dense tableau without the columns of the basis.
struct Tableau {
    /// By row, then by column; the last column is what is left of the row.
    cells: Vec<Vec<f64>>,
    /// What each column is worth still.
    gain: Vec<f64>,
    /// What each place of a row and of a column stands for: a column, or the rest of a row.
    basis: Vec<usize>,
    outside: Vec<usize>,
    /// The rows of the program; others are the bounds of columns.
    rows: usize,
}

impl Tableau {
    fn new(group: &[usize], rows: &[Vec<(usize, f64)>], worths: &[f64]) -> Tableau {
        let mut shares: BTreeMap<usize, Vec<(usize, u64)>> = BTreeMap::new();
        for (place, &row) in group.iter().enumerate() {
            rows[row]
                .iter()
                .for_each(|&(column, share)| shares.entry(column).or_default().push((place, share.to_bits())));
        }
        // Columns that are alike, and how many they are.
        let mut alike: BTreeMap<(Vec<(usize, u64)>, u64), f64> = BTreeMap::new();
        for (column, shares) in shares {
            *alike.entry((shares, worths[column].to_bits())).or_default() += 1.0;
        }
        let (count, most) = (group.len(), alike.len());
        let mut cells = vec![vec![0.0; most + 1]; count + most];
        cells[..count].iter_mut().for_each(|row| row[most] = 1.0);
        let mut gain = Vec::new();
        for (at, ((shares, worth), times)) in alike.into_iter().enumerate() {
            shares.into_iter().for_each(|(row, share)| cells[row][at] = f64::from_bits(share));
            (cells[count + at][at], cells[count + at][most]) = (1.0, times);
            gain.push(f64::from_bits(worth));
        }
        Tableau { cells, gain, basis: (most..2 * most + count).collect(), outside: (0..most).collect(), rows: count }
    }

    /// The weights of the rows: what the rest of each is worth.
    fn solve(mut self) -> Vec<f64> {
        let columns = self.gain.len();
        for _ in 0..CELLS / (self.cells.len() * (columns + 1)).max(1) {
            let Some(column) = self.best_column() else { break };
            let Some(row) = self.first_full(column) else { break };
            self.pivot(row, column);
        }
        let mut weights = vec![0.0; self.rows];
        for (at, &stands) in self.outside.iter().enumerate() {
            if let Some(weight) = stands.checked_sub(columns).and_then(|row| weights.get_mut(row)) {
                *weight = -self.gain[at];
            }
        }
        weights
    }

    fn best_column(&self) -> Option<usize> {
        let gains = self.gain.iter().enumerate().filter(|(_, gain)| **gain > NONE * self.largest());
        gains.max_by(|a, b| a.1.total_cmp(b.1)).map(|(at, _)| at)
    }

    fn largest(&self) -> f64 {
        self.gain.iter().map(|gain| gain.abs()).fold(0.0, f64::max)
    }

    /// The row that is full first where a column grows; of several, that with the least place, so that no search turns in
    /// a circle for long.
    fn first_full(&self, column: usize) -> Option<usize> {
        let room = |row: &Vec<f64>| row[self.gain.len()] / row[column];
        let rows = self.cells.iter().enumerate().filter(|(_, row)| row[column] > NONE);
        rows.min_by(|a, b| room(a.1).total_cmp(&room(b.1)).then(self.basis[a.0].cmp(&self.basis[b.0])))
            .map(|(at, _)| at)
    }

    fn pivot(&mut self, row: usize, column: usize) {
        let by = self.cells[row][column];
        let mut chosen = std::mem::take(&mut self.cells[row]);
        chosen[column] = 1.0;
        chosen.iter_mut().for_each(|cell| *cell /= by);
        let less = |line: &mut [f64]| {
            let times = std::mem::replace(&mut line[column], 0.0);
            if times != 0.0 {
                line.iter_mut().zip(&chosen).for_each(|(cell, chosen)| *cell -= times * chosen);
            }
        };
        self.cells.iter_mut().filter(|line| !line.is_empty()).for_each(|line| less(line));
        less(&mut self.gain);
        self.cells[row] = chosen;
        std::mem::swap(&mut self.basis[row], &mut self.outside[column]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bound that the weights of `rows` give, where each column is worth 1.
    fn bound(rows: &[Vec<(usize, f64)>], columns: usize) -> f64 {
        let weights = weights(rows, &vec![1.0; columns]);
        assert!(weights.iter().all(|weight| *weight >= 0.0));
        let of = |at: usize| {
            rows.iter().zip(&weights).flat_map(move |(row, w)| {
                row.iter().filter(move |(column, _)| *column == at).map(move |(_, share)| w * share)
            })
        };
        weights.iter().sum::<f64>() + (0..columns).map(|at| (1.0 - of(at).sum::<f64>()).max(0.0)).sum::<f64>()
    }

    #[test]
    fn is_a_sum_the_least_cut() {
        // Two branches of two columns each below one trunk: both branches half, the trunk a third of all.
        let branch = |a, b| vec![(a, 1.0), (b, 1.0)];
        let trunk = (0..4).map(|at| (at, 0.75)).collect();
        assert!((bound(&[branch(0, 1), branch(2, 3)], 4) - 2.0).abs() < 1e-9);
        assert!((bound(&[branch(0, 1), branch(2, 3), trunk], 4) - 4.0 / 3.0).abs() < 1e-9);
    }

    #[test]
    fn does_one_full_row_leave_the_others_their_rates() {
        // A branch that is full at half, and one column beside it that the trunk would let through whole.
        let rows = [vec![(0, 1.0), (1, 1.0)], vec![(0, 0.5), (1, 0.5), (2, 0.5)]];
        assert!((bound(&rows, 3) - 2.0).abs() < 1e-9);
    }
}
