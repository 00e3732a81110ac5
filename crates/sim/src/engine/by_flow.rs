//! A map from flow numbers to values. It has room for the flows present only, so that the memory of a part or link
//! grows with its own flows and not with all flows of the run.

/// See the module.
#[derive(Clone, Debug)]
pub struct ByFlow<T> {
    /// Sorted flow numbers; `flows[i]` belongs to `things[i]`.
    flows: Vec<u32>,
    things: Vec<T>,
}

impl<T> Default for ByFlow<T> {
    fn default() -> ByFlow<T> {
        ByFlow { flows: Vec::new(), things: Vec::new() }
    }
}

impl<T> ByFlow<T> {
    /// The index of `flow`, or where it would be inserted.
    #[inline]
    fn place(&self, flow: u32) -> Result<usize, usize> {
        // Flows that meet somewhere often follow one another.
        let guess = flow.wrapping_sub(self.flows.first().copied().unwrap_or(0)) as usize;
        if self.flows.get(guess) == Some(&flow) { Ok(guess) } else { self.flows.binary_search(&flow) }
    }

    /// The value of `flow`.
    pub fn get(&self, flow: u32) -> Option<&T> {
        self.place(flow).ok().map(|place| &self.things[place])
    }

    /// See [`ByFlow::get`].
    pub fn get_mut(&mut self, flow: u32) -> Option<&mut T> {
        self.place(flow).ok().map(|place| &mut self.things[place])
    }

    /// The value of `flow`; inserts what `new` makes where there is none.
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

    /// Sets the value of `flow`.
    pub fn insert(&mut self, flow: u32, thing: T) {
        match self.place(flow) {
            Ok(place) => self.things[place] = thing,
            Err(place) => self.insert_at(place, flow, thing),
        }
    }

    /// In order of flow numbers.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &T)> {
        self.flows.iter().copied().zip(&self.things)
    }

    /// The flow numbers present.
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
