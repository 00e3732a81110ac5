//! The requests of a part's engine: the least of what the engine supports and what is settled.

use crate::graph::Node;

impl Node {
    /// The largest number of read requests in flight: limited by the engine and by the tags, at least one.
    pub fn requests_in_flight(&self) -> u64 {
        let requests = self.kind.engine().unwrap_or_default().read_requests.0.min(self.tags).max(1);
        #[cfg(feature = "planted")]
        let requests = requests + u64::from(pcie::planted::is(crate::planted::ONE_MORE_REQUEST));
        requests
    }

    /// Bytes of its largest read request: the engine's, at most Max_Read_Request_Size.
    pub fn request_bytes(&self) -> u64 {
        self.kind.engine().unwrap_or_default().read_request.bytes().min(self.mrrs.bytes())
    }

    /// Payload of its largest write: the engine's, at most Max_Payload_Size.
    pub fn write_bytes(&self) -> u64 {
        let (mps, engine) = (self.mps.bytes(), self.kind.engine().unwrap_or_default());
        engine.payload.0.map_or(mps, |payload| payload.0.min(mps))
    }
}
