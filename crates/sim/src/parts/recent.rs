//! Those used last of many: one set of a cache.

/// See the module.
#[derive(Clone, Debug)]
pub struct Recent<T> {
    /// The last used first.
    held: Vec<T>,
    most: usize,
}

impl<T> Recent<T> {
    /// A set that holds `most`, at least one.
    pub fn new(most: u64) -> Recent<T> {
        Recent { held: Vec::new(), most: most.max(1) as usize }
    }

    /// The first of those that `is` accepts, which is the last used then.
    pub fn find(&mut self, is: impl FnMut(&T) -> bool) -> Option<&T> {
        let place = self.held.iter().position(is)?;
        self.held[..=place].rotate_right(1);
        self.held.first()
    }

    /// True where `is` accepts one of them; which was used last does not change.
    pub fn has(&self, is: impl FnMut(&T) -> bool) -> bool {
        self.held.iter().any(is)
    }

    /// Adds `one` as the last used, in the place of that which was not used for longest.
    pub fn add(&mut self, one: T) {
        self.held.truncate(self.most - 1);
        self.held.insert(0, one);
    }

    /// Forgets all that `is` refuses.
    pub fn keep(&mut self, is: impl FnMut(&T) -> bool) {
        self.held.retain(is);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_it_hold_those_used_last() {
        let mut set = Recent::new(2);
        set.add(1);
        set.add(2);
        assert_eq!(set.find(|one| *one == 1), Some(&1));
        set.add(3);
        assert_eq!(set.find(|one| *one == 2), None, "1 was used after it");
        assert_eq!(set.find(|one| *one == 1), Some(&1));
        set.keep(|one| *one == 3);
        assert_eq!(set.find(|one| *one == 1), None);
        assert_eq!(set.find(|one| *one == 3), Some(&3));
    }
}
