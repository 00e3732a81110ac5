//! Things that some of the flows have, by the flow's number: there is room for those only, so that what a part or a link
//! keeps grows with the flows that it sees and not with all there are.

/// See the module.
#[derive(Clone, Debug)]
pub struct ByFlow<T> {
    /// Sorted; each stands beside its thing.
    flows: Vec<u32>,
    things: Vec<T>,
}

impl<T> Default for ByFlow<T> {
    fn default() -> ByFlow<T> {
        ByFlow { flows: Vec::new(), things: Vec::new() }
    }
}

impl<T> ByFlow<T> {
    /// Where `flow` is, or where it would be.
    #[inline]
    fn place(&self, flow: u32) -> Result<usize, usize> {
        // Flows that meet somewhere often follow one another.
        let guess = flow.wrapping_sub(self.flows.first().copied().unwrap_or(0)) as usize;
        if self.flows.get(guess) == Some(&flow) { Ok(guess) } else { self.flows.binary_search(&flow) }
    }

    /// What `flow` has.
    pub fn get(&self, flow: u32) -> Option<&T> {
        self.place(flow).ok().map(|place| &self.things[place])
    }

    /// See [`ByFlow::get`].
    pub fn get_mut(&mut self, flow: u32) -> Option<&mut T> {
        self.place(flow).ok().map(|place| &mut self.things[place])
    }

    /// What `flow` has; what `new` makes where it had nothing.
    #[inline]
    pub fn get_or_insert_with(&mut self, flow: u32, new: impl FnOnce() -> T) -> &mut T {
        let place = match self.place(flow) {
            Ok(place) => place,
            Err(place) => {
                self.insert_at(place, flow, new());
                place
            }
        };
        &mut self.things[place]
    }

    #[cold]
    fn insert_at(&mut self, place: usize, flow: u32, thing: T) {
        self.flows.insert(place, flow);
        self.things.insert(place, thing);
    }

    /// In place of what `flow` had.
    pub fn insert(&mut self, flow: u32, thing: T) {
        match self.place(flow) {
            Ok(place) => self.things[place] = thing,
            Err(place) => self.insert_at(place, flow, thing),
        }
    }

    /// In the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.flows.iter().copied().zip(&self.things)
    }

    /// The flows that have something.
    pub fn flows(&self) -> &[u32] {
        &self.flows
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #[test]
        fn is_what_a_flow_was_given_found_and_nothing_else(steps in prop::collection::vec((0u32..40, 0u32..9), 0..60)) {
            let (mut some, mut plain) = (ByFlow::default(), BTreeMap::new());
            for (flow, thing) in steps {
                if thing < 5 {
                    some.insert(flow, thing);
                    plain.insert(flow, thing);
                } else {
                    *some.get_or_insert_with(flow, || 0) += thing;
                    *plain.entry(flow).or_insert(0) += thing;
                }
                prop_assert_eq!(some.get(flow), plain.get(&flow));
            }
            prop_assert!(some.iter().eq(plain.iter().map(|(flow, thing)| (*flow, thing))));
            prop_assert!((0..40).all(|flow| some.get(flow) == plain.get(&flow)));
        }
    }
}
