//! Classes, and names with their codes in brackets.

use crate::function::Function;
use crate::names;

/// Fills in the class: by the code in brackets, by the code alone (`-n`), or by the name.
pub fn fill_class(class: &str, function: &mut Function) {
    let (name, code) = without_bracket(class.trim());
    let code = code.or_else(|| (name.len() == 4).then_some(name)).and_then(|code| u16::from_str_radix(code, 16).ok());
    function.header.class = code.or_else(|| names::class_code(name));
    function.names.class = if code.is_some() && name.len() == 4 {
        function.header.class.and_then(names::class)
    } else {
        (!name.is_empty()).then(|| name.to_string())
    };
}

/// Splits a name from the code in brackets after it (`-nn`). A bracket without a code stays part of the name.
pub fn without_bracket(text: &str) -> (&str, Option<&str>) {
    let Some((name, code)) = text.strip_suffix(']').and_then(|text| text.rsplit_once('[')) else { return (text, None) };
    let is_code = (code.len() == 4 || code.len() == 9) && code.bytes().all(|b| b.is_ascii_hexdigit() || b == b':');
    if is_code { (name.trim_end(), Some(code)) } else { (text, None) }
}
