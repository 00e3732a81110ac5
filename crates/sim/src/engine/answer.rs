//! How the data of a read request is divided into completions.

/// The completions of a request for `asks` bytes from `begin` on: (address, bytes) of each, in address order. Each ends
/// at a multiple of `rcb` that is at most `most` bytes away, or at the end of the request (Transaction Layer, Data
/// Return for Read Requests).
pub(crate) fn cuts(begin: u64, asks: u64, rcb: u64, most: u64) -> impl Iterator<Item = (u64, u64)> + use<> {
    let rcb = rcb.max(4);
    let (end, most) = (begin.saturating_add(asks), most.max(rcb));
    let mut at = begin;
    std::iter::from_fn(move || {
        let from = at;
        at = ((from + most) / rcb * rcb).min(end);
        (from < end).then(|| (from, at - from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    fn cut(address: u64, asks: u64, rcb: u64, most: u64) -> Vec<u64> {
        cuts(address, asks, rcb, most).map(|(_, bytes)| bytes).collect()
    }

    #[test]
    fn where_is_an_answer_cut() {
        assert_eq!(cut(0, 512, 64, 128), [128; 4]);
        assert_eq!(cut(0, 256, 64, 64), [64; 4]);
        assert_eq!(cut(4, 256, 64, 128), [124, 128, 4]);
        assert_eq!(cut(96, 100, 128, 256), [100], "fits before the multiple of RCB that is near enough");
        assert_eq!(cut(32, 256, 128, 64), [96, 128, 32], "a completion never ends between multiples of RCB");
    }
}
