//! Lists that are shortened when they are long.

/// Joins items as `a, b, c`. More than `most` items become `a, b and 44 more`; a list with only one item too many is
/// not shortened.
pub fn list<T: AsRef<str>>(items: &[T], most: usize) -> String {
    let shown = if items.len() <= most + 1 { items.len() } else { most };
    let text = items.iter().take(shown).map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match items.len() - shown {
        0 => text,
        more => format!("{text} and {more} more: --all"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_long_list_cut_with_the_way_to_see_it_whole() {
        assert_eq!(list(&["a", "b", "c"], 2), "a, b, c");
        assert_eq!(list(&["a", "b", "c", "d"], 2), "a, b and 2 more: --all");
        assert_eq!(list::<&str>(&[], 2), "");
    }
}
