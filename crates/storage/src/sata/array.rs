//! Where the bytes of an array (RAID 0) are.

use super::params::SataParams;

impl SataParams {
    /// The drive of an array that has the byte at `at`, where it is there, and how many follow it in its chunk.
    pub(crate) fn member(&self, at: u64) -> (usize, u64, u64) {
        let (members, chunk) = (self.members.0.max(1), self.chunk.0.max(1));
        if members == 1 {
            return (0, at, u64::MAX);
        }
        let (row, inside) = (at / chunk, at % chunk);
        ((row % members) as usize, row / members * chunk + inside, chunk - inside)
    }

    /// `bytes` at `at`, in the parts that drives of an array have: the offset of each, the drive, where it is there, and its bytes.
    pub(crate) fn segments(&self, at: u64, bytes: u64) -> impl Iterator<Item = (u64, usize, u64, u64)> + '_ {
        let mut done = 0;
        std::iter::from_fn(move || {
            let left = bytes.checked_sub(done).filter(|&left| left > 0)?;
            let (member, own, room) = self.member(at.wrapping_add(done));
            let segment = (done, member, own, left.min(room));
            done += segment.3;
            Some(segment)
        })
    }
}
