//! Keys of a workload and their values.

use system::source::Text;
use system::{Error, FieldType, Problem};

/// The error of a value that does not fit its key.
pub(crate) fn wrong(key: &Text, text: &Text, expects: &str) -> Error {
    let problem = Problem::Value { field: format!("`{}`", key.text), value: text.text.clone() };
    Error::new(&text.place, problem, format!("write {expects}"))
}

/// The value of a key.
pub(crate) fn read<T: FieldType>(key: &Text, text: &Text, holds: impl Fn(&T) -> bool) -> Result<T, Error> {
    T::parse(&text.text).filter(holds).ok_or_else(|| wrong(key, text, T::EXPECTS))
}

/// The value of a key that is a number from 1 to `most`.
pub(crate) fn number(key: &Text, text: &Text, most: u64) -> Result<u64, Error> {
    let number = u64::parse(&text.text).filter(|number| (1..=most).contains(number));
    number.ok_or_else(|| wrong(key, text, &format!("a number from 1 to {most}")))
}

/// Which of two words the value of a key is.
pub(crate) fn one_of(key: &Text, text: &Text, words: [&str; 2]) -> Result<usize, Error> {
    let found = words.iter().position(|word| *word == text.text);
    found.ok_or_else(|| wrong(key, text, &format!("`{}` or `{}`", words[0], words[1])))
}
