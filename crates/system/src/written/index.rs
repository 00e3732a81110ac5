//! Index notation: `board[i].down[j] - card[4*i + j].pcie` stands for every `i` and `j` of the arrays.

use crate::error::{Error, Problem};
use crate::source::Text;

/// The largest number of links or flows that one line may stand for.
const MOST: usize = 1 << 16;

/// A sum of numbers, letters, and letters multiplied by numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Index(Vec<(i64, Option<String>)>);

impl Index {
    /// Reads `4*i + j`; `None` for wrong syntax.
    pub fn parse(text: &str) -> Option<Index> {
        let mut terms = Vec::new();
        let mut rest = text.trim();
        let mut sign = 1;
        if let Some(after) = rest.strip_prefix('-') {
            (sign, rest) = (-1, after.trim_start());
        }
        loop {
            let end = rest.find(['+', '-']).unwrap_or(rest.len());
            let (number, letter) = term(&rest[..end])?;
            terms.push((sign * number, letter));
            match rest[end..].chars().next() {
                None => return (terms.len() <= 8).then_some(Index(terms)),
                Some(c) => sign = if c == '-' { -1 } else { 1 },
            }
            rest = &rest[end + 1..];
        }
    }
    /// The letter, where the index is a single letter.
    pub fn letter(&self) -> Option<&str> {
        match self.0.as_slice() {
            [(1, Some(letter))] => Some(letter),
            _ => None,
        }
    }
    /// All letters.
    pub fn letters(&self) -> impl Iterator<Item = &str> {
        self.0.iter().filter_map(|(_, letter)| letter.as_deref())
    }
    /// Its value; `None` for a negative result or an unknown letter.
    pub fn value(&self, letters: &[(String, u64)]) -> Option<u64> {
        let sum = self.0.iter().try_fold(0i64, |sum, (factor, letter)| {
            let value = match letter {
                None => 1,
                Some(name) => letters.iter().find(|(l, _)| l == name)?.1 as i64,
            };
            sum.checked_add(factor.checked_mul(value)?)
        })?;
        u64::try_from(sum).ok()
    }
}

/// `4*i`, `i*4`, `i`, `4`.
fn term(text: &str) -> Option<(i64, Option<String>)> {
    let mut number = None;
    let mut letter = None;
    for factor in text.split('*').map(str::trim) {
        if !factor.is_empty() && factor.bytes().all(|b| b.is_ascii_digit()) && number.is_none() {
            number = Some(factor.parse::<u32>().ok()? as i64);
        } else if factor.len() == 1 && factor.bytes().all(|b| b.is_ascii_lowercase()) && letter.is_none() {
            letter = Some(factor.to_string());
        } else {
            return None;
        }
    }
    Some((number.unwrap_or(1), letter))
}

/// An end of a link or flow: `board[i].down[j]` or `card[i]`.
#[derive(Clone, Debug)]
pub(crate) struct EndSpec {
    /// As written, with its place.
    pub text: Text,
    /// The part.
    pub part: String,
    /// Its index.
    pub part_index: Option<Index>,
    /// The port, if one is named.
    pub port: Option<String>,
    /// Its index.
    pub port_index: Option<Index>,
}

impl EndSpec {
    /// Reads an end; `None` for wrong syntax.
    pub fn parse(text: &Text) -> Option<EndSpec> {
        let (part, rest) = name(&text.text)?;
        let (part_index, rest) = bracket(rest)?;
        let (mut port, mut port_index, mut rest) = (None, None, rest.trim());
        if let Some(after) = rest.strip_prefix('.') {
            let (name, after) = name(after)?;
            port = Some(name.to_string());
            (port_index, rest) = bracket(after)?;
        }
        rest.trim().is_empty().then(|| EndSpec {
            text: text.clone(),
            part: part.to_string(),
            part_index,
            port,
            port_index,
        })
    }
    /// Its indices.
    pub fn indices(&self) -> impl Iterator<Item = &Index> {
        self.part_index.iter().chain(&self.port_index)
    }
}

/// Splits off a leading identifier.
fn name(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len());
    (end > 0 && !text.starts_with(|c: char| c.is_ascii_digit())).then(|| text.split_at(end))
}

/// Splits off an index in brackets, if there is one.
fn bracket(text: &str) -> Option<(Option<Index>, &str)> {
    let Some(inner) = text.trim_start().strip_prefix('[') else {
        return Some((None, text));
    };
    let (index, rest) = inner.split_once(']')?;
    Some((Some(Index::parse(index)?), rest))
}

/// All assignments of values to the letters in `ends`. A letter takes the indices of the arrays that it is the single
/// index of (the shortest of them). `size` gives the length of the array of a part or port.
pub(crate) fn assignments(
    whole: &Text,
    ends: &[&EndSpec],
    size: impl Fn(&EndSpec, bool) -> Option<u64>,
) -> Result<Vec<Vec<(String, u64)>>, Error> {
    let mut letters: Vec<(String, u64)> = Vec::new();
    for end in ends {
        for (index, of_port) in [(&end.part_index, false), (&end.port_index, true)] {
            let Some(letter) = index.as_ref().and_then(Index::letter) else { continue };
            let Some(length) = size(end, of_port) else { continue };
            match letters.iter_mut().find(|(l, _)| l == letter) {
                Some((_, shortest)) => *shortest = length.min(*shortest),
                None => letters.push((letter.to_string(), length)),
            }
        }
    }
    let free =
        ends.iter().flat_map(|e| e.indices()).flat_map(Index::letters).find(|l| !letters.iter().any(|(k, _)| k == l));
    if let Some(letter) = free {
        let problem = Problem::Form { text: whole.text.clone(), wanted: "an array with its index" };
        let help = format!("`{letter}` runs over nothing: use it alone once, as in `card[{letter}]`, for an array");
        return Err(Error::new(&whole.place, problem, help));
    }
    let total = letters.iter().try_fold(1usize, |n, (_, length)| n.checked_mul(*length as usize));
    if total.is_none_or(|n| n > MOST) {
        let problem = Problem::TooMuch(format!("`{}` stands for more than {MOST}", whole.text));
        return Err(Error::new(&whole.place, problem, "use smaller arrays"));
    }
    let first = vec![Vec::new()];
    Ok(letters.iter().fold(first, |all, (letter, length)| {
        let extend = |done: Vec<(String, u64)>| {
            (0..*length).map(move |value| [done.clone(), vec![(letter.clone(), value)]].concat())
        };
        all.into_iter().flat_map(extend).collect()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_a_sum_of_letters_and_numbers() {
        let at = |text: &str, i, j| Index::parse(text)?.value(&[("i".into(), i), ("j".into(), j)]);
        assert_eq!(at("4*i + j", 1, 2), Some(6));
        assert_eq!(at("i*4+j+1", 1, 2), Some(7));
        assert_eq!(at("3 - i", 1, 0), Some(2));
        assert_eq!(at("i - 3", 1, 0), None);
        assert_eq!(at("7", 0, 0), Some(7));
        for wrong in ["", "i j", "4**i", "k+", "1.5", "i*j", "99999999999*i", "card"] {
            assert_eq!(Index::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn an_end_is_a_part_and_a_port() {
        let end = EndSpec::parse(&Text::alone("x", "board[i] . down[ 4*i ]")).unwrap();
        assert_eq!((end.part.as_str(), end.port.as_deref()), ("board", Some("down")));
        for wrong in ["", "board[", "board[i].", ".down", "a.b.c", "4a.b", "a[i]]"] {
            assert!(EndSpec::parse(&Text::alone("x", wrong)).is_none(), "{wrong}");
        }
    }
}
