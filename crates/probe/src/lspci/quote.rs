//! Marks of quoting that mail puts before each line: `> `, `>> `, `> > `.

/// How often a line was quoted, and what stands behind the marks. `>TAbort-` is no mark but a flag of the Status register,
/// which a line may begin with where mail has wrapped it.
pub fn unquote(line: &str) -> (usize, &str) {
    let (mut depth, mut rest) = (0, line);
    loop {
        let next = rest.strip_prefix(' ').unwrap_or(rest).strip_prefix('>');
        match next.filter(|inner| !begins_with_flag(inner)) {
            Some(inner) => (depth, rest) = (depth + 1, inner),
            None => break,
        }
    }
    // One blank belongs to the mark; those behind it are how far the line was indented.
    (depth, rest.strip_prefix(' ').filter(|_| depth > 0).unwrap_or(rest))
}

/// Of the Status registers and of Bridge Control: the flags that are printed so.
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
