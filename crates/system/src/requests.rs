//! What the engine of a part asks for and sends at most: the least of what it can and what is settled.

use crate::graph::Node;

impl Node {
    /// Read requests that it has in flight at most: one, or as many as its engine has and its tags tell apart.
    pub fn requests_in_flight(&self) -> u64 {
        self.kind.engine().unwrap_or_default().read_requests.0.min(self.tags).max(1)
    }

    /// Bytes of its largest read request: its engine's, within Max_Read_Request_Size.
    pub fn request_bytes(&self) -> u64 {
        self.kind.engine().unwrap_or_default().read_request.bytes().min(self.mrrs.bytes())
    }

    /// Payload of its largest write: its engine's, within Max_Payload_Size.
    pub fn write_bytes(&self) -> u64 {
        let (mps, engine) = (self.mps.bytes(), self.kind.engine().unwrap_or_default());
        engine.payload.0.map_or(mps, |payload| payload.0.min(mps))
    }
}
