//! Quote marks that mail puts before each line: `> `, `>> `, `> > `.

/// The number of quote marks of a line, and the text after them. `>TAbort-` is not a mark but a flag of the Status register;
/// a line that mail has wrapped may begin with it.
pub fn unquote(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    loop {
        let next = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix('>');
        match next.filter(|inner| !begins_with_flag(inner)) {
            Some(inner) => (depth, rest) = (depth + 1, inner),
            None => break,
        }
    }
    // One blank belongs to the mark; further ones are the indentation of the line.
    (depth, rest.strip_prefix(' ').filter(|_| depth > 0).unwrap_or(rest))
}

/// True for the flags of the Status registers and of Bridge Control that are printed with `>` before them.
fn begins_with_flag(text: &str) -> bool {
    ["TAbort", "SERR", "Reset"].iter().any(|flag| text.starts_with(flag))
}

#[cfg(test)]
mod tests {
    use super::unquote;

    #[test]
    fn are_marks_of_quoting_counted_and_flags_left() {
        for (line, is) in [
            ("00:1f.0 ISA bridge", (0, "00:1f.0 ISA bridge")),
            ("> 00:1f.0 ISA bridge", (1, "00:1f.0 ISA bridge")),
            (">> \tControl: I/O+", (2, "\tControl: I/O+")),
            ("> > > 00:1f.0", (3, "00:1f.0")),
            (">\tStatus: Cap+", (1, "\tStatus: Cap+")),
            (">", (1, "")),
            (">Stepping- SERR+", (1, "Stepping- SERR+")),
            (">TAbort- <TAbort-", (0, ">TAbort- <TAbort-")),
            ("> >SERR- <PERR-", (1, ">SERR- <PERR-")),
            ("\tControl: I/O+", (0, "\tControl: I/O+")),
        ] {
            assert_eq!(unquote(line), is, "{line}");
        }
    }
}
