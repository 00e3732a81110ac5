//! Text without control characters: whoever wrote the input, it may be printed on a terminal.

use crate::machine::Machine;
use std::borrow::Cow;

/// The first character of a control sequence (colours and similar).
const ESCAPE: char = '\u{1b}';

/// True for characters that a terminal acts upon, and for those that change the direction of the letters around them (Unicode
/// Bidirectional Algorithm, explicit directional formatting). Newline and tab are not among them.
fn is_control(c: char) -> bool {
    let turns = matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    turns || c.is_control() && !matches!(c, '\n' | '\t')
}

/// The text without control sequences (ECMA-48), and with U+FFFD for every other control character.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.contains(is_control) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            ESCAPE if rest.next_if_eq(&'[').is_some() => {
                // Parameters and intermediate bytes, then one final byte.
                while rest.next_if(|c| matches!(c, ' '..='?')).is_some() {}
                rest.next_if(|c| matches!(c, '@'..='~'));
            }
            '\r' if matches!(rest.peek(), Some('\n') | None) => {}
            c if is_control(c) => shown.push(char::REPLACEMENT_CHARACTER),
            c => shown.push(c),
        }
    }
    Cow::Owned(shown)
}

/// Makes a text plain in place, and puts it on one line.
fn clean(text: &mut String) {
    if text.contains(|c| is_control(c) || c == '\n' || c == '\t') {
        *text = plain(text).replace(['\n', '\t'], " ");
    }
}

impl Machine {
    /// Makes every text in the machine plain: names, labels, drivers, remarks.
    pub fn make_plain(&mut self) {
        let whole = [&mut self.kernel, &mut self.product, &mut self.aspm_policy].into_iter().flatten();
        whole.chain([&mut self.name]).for_each(clean);
        self.numa.values_mut().filter_map(|node| node.cpus.as_mut()).for_each(clean);
        for remark in &mut self.remarks {
            clean(&mut remark.what);
            if let crate::remark::Place::File(file) = &mut remark.place {
                clean(file);
            }
        }
        for function in self.functions.values_mut() {
            let (names, os) = (&mut function.names, &mut function.os);
            let all = [&mut names.class, &mut names.device, &mut names.subsystem, &mut os.local_cpus, &mut os.driver]
                .into_iter()
                .chain([&mut os.label, &mut os.slot, &mut os.power_state, &mut os.runtime_status]);
            all.flatten().for_each(clean);
            os.iommu.iter_mut().filter_map(|group| group.kind.as_mut()).for_each(clean);
            os.modules.iter_mut().chain(&mut os.nets).chain(&mut os.cards).for_each(clean);
            os.net_speeds.iter_mut().for_each(|(name, _)| clean(name));
            for block in &mut os.blocks {
                clean(&mut block.name);
                block.model.as_mut().into_iter().for_each(clean);
            }
            function.capabilities.0.iter_mut().for_each(|capability| clean(&mut capability.text));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_text_without_controls_left_as_it_is_and_no_other_reaches_a_terminal() {
        assert!(matches!(plain("NVMe SSD\tµ 東\n"), Cow::Borrowed(_)));
        assert_eq!(plain("\u{1b}[01;31mNVMe\u{1b}[m SSD"), "NVMe SSD");
        assert_eq!(plain("a\u{1b}]0;title\u{7}b\u{9b}c\u{202e}d"), "a\u{fffd}]0;title\u{fffd}b\u{fffd}c\u{fffd}d");
        assert_eq!(plain("one\r\ntwo\r"), "one\ntwo");
        assert_eq!(plain("\u{1b}[\u{1b}[31"), "");
    }
}
