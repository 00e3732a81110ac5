//! Groups what is shown once for several: devices with the same limit, and findings that differ only in their
//! addresses.

use probe::address::Address;
use probe::finding::Finding;
use probe::limits::DeviceLimit;
use probe::rates::Limited;

/// Fewer devices than this are listed individually.
const FEW: usize = 3;

/// A text with every address in it replaced by `@`.
pub fn without_addresses(text: &str) -> String {
    let part = |c: char| c.is_ascii_hexdigit() || matches!(c, ':' | '.');
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(part) {
        plain.push_str(&rest[..start]);
        let end = rest[start..].find(|c| !part(c)).map_or(rest.len(), |end| start + end);
        let word = &rest[start..end];
        let bare = word.trim_end_matches([':', '.']);
        match bare.parse::<Address>() {
            Ok(_) => plain.extend(["@", &word[bare.len()..]]),
            Err(_) => plain.push_str(word),
        }
        rest = &rest[end..];
    }
    plain + rest
}

/// Groups devices of one role with the same limits, where each is limited by its own link or all by the same link. The
/// order is that of the first device of each group.
pub fn devices<'d>(all: &'d [DeviceLimit], printed: &dyn Fn(&Limited) -> String) -> Vec<Vec<&'d DeviceLimit>> {
    let alike = |device: &DeviceLimit| {
        let one = |limited: &Limited| (printed(limited), without_addresses(&limited.by.to_string()));
        (device.role, one(&device.to_memory), one(&device.from_memory))
    };
    let groups = grouped(all, alike);
    let few = |group: Vec<&'d DeviceLimit>| -> Vec<Vec<&'d DeviceLimit>> {
        if group.len() < FEW { group.into_iter().map(|one| vec![one]).collect() } else { vec![group] }
    };
    let mut told: Vec<Vec<&DeviceLimit>> = groups.into_iter().flat_map(few).collect();
    told.sort_by_key(|group| group.first().map(|device| device.at));
    told
}

/// Groups findings that are the same for several devices.
pub fn findings(all: &[Finding]) -> Vec<Vec<&Finding>> {
    let alike = |finding: &Finding| {
        let plain = |texts: &[String]| texts.iter().map(|text| without_addresses(text)).collect::<Vec<_>>();
        let evidence: Vec<String> =
            finding.evidence.iter().map(|seen| format!("{} {}", seen.source, seen.value)).collect();
        let cost = finding.cost.as_ref().map(|cost| without_addresses(&super::costs(cost)));
        (
            finding.kind,
            finding.severity.word(),
            without_addresses(&finding.what),
            plain(&evidence),
            cost,
            plain(&finding.remedy),
        )
    };
    grouped(all, alike)
}

/// Groups items with equal keys, in the order of the first item of each group.
fn grouped<T, K: PartialEq>(all: &[T], key: impl Fn(&T) -> K) -> Vec<Vec<&T>> {
    let mut groups: Vec<(K, Vec<&T>)> = Vec::new();
    for one in all {
        let key = key(one);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(one),
            None => groups.push((key, vec![one])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_every_address_of_a_sentence_found_and_nothing_else() {
        assert_eq!(without_addresses("GPU 04:00.0, 0001:84:00.0: x16."), "GPU @, @: x16.");
        assert_eq!(
            without_addresses("3400 of 6700: CAP_EXP+0x30.w=0003:000f"),
            "3400 of 6700: CAP_EXP+0x30.w=0003:000f"
        );
        assert_eq!(without_addresses("below 00:1c.4."), "below @.");
    }
}
