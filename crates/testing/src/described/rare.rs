//! Fields that few machines have, with values, by what they belong to.

/// A field, and the values that it may have.
pub type Field = (&'static str, &'static [&'static str]);

/// Of a host: its memory and root ports.
pub const MEMORY: [Field; 9] = [
    ("read_gap", &["5 ns", "40 ns"]),
    ("write_service", &["5 ns", "30 ns"]),
    ("line_service", &["2 ns", "9 ns"]),
    ("partial_line_service", &["20 ns"]),
    ("page_service", &["50 ns", "300 ns"]),
    ("port_cap", &["310 MB/s", "1900 MB/s", "7 GB/s"]),
    ("memory_above_4g", &["no"]),
    ("command_cost", &["90 ns", "700 ns"]),
    ("p2p_bytes", &["64 B", "128 B"]),
];

/// Of a host with an IOMMU.
pub const IOMMU: [Field; 8] = [
    ("iotlb_entries", &["1", "8", "300"]),
    ("iommu_page", &["2 MiB"]),
    ("walk_latency", &["70 ns", "800 ns"]),
    ("walk_gap", &["30 ns"]),
    ("line_lookup", &["2 ns"]),
    ("walkers", &["1", "2", "6"]),
    ("walk_cache", &["1", "16"]),
    ("table_latency", &["200 ns"]),
];

/// Of a host whose caches are cold.
pub const DRAM: [Field; 4] = [
    ("dram_line_service", &["3 ns", "40 ns"]),
    ("dram_channels", &["2", "3", "8"]),
    ("miss_latency", &["90 ns"]),
    ("read_table", &["48", "200"]),
];

/// Of a card.
pub const CARD: [Field; 11] = [
    ("payload", &["32", "100", "192", "256"]),
    ("completion_buffer", &["4 KiB", "9 KiB", "16 KiB"]),
    ("descriptor_wait", &["40 ns", "300 ns"]),
    ("page_bytes", &["2 KiB", "16 KiB"]),
    ("core_clock", &["125 MHz", "250 MHz"]),
    ("idle_cycles", &["1", "3"]),
    ("target_completion_bytes", &["64", "256"]),
    ("aligned", &["yes"]),
    ("in_turn", &["yes"]),
    ("write_command_time", &["60 ns"]),
    ("read_request_time", &["20 ns", "90 ns"]),
];

/// Of an NVMe drive.
pub const NVME: [Field; 7] = [
    ("write_buffer", &["1 MiB", "4 MiB", "64 MiB"]),
    ("datapath", &["1500 MB/s", "6 GB/s"]),
    ("mdts", &["64 KiB", "128 KiB"]),
    ("coalesced", &["4"]),
    ("slc_cache", &["64 MiB", "1 GiB"]),
    ("commands", &["3", "20"]),
    ("namespaces", &["2"]),
];

/// Of a controller of disks.
pub const SATA: [Field; 7] = [
    ("sata_ports", &["1", "2", "8"]),
    ("fis_gap", &["100 ns", "900 ns"]),
    ("commands", &["4", "31"]),
    ("write_rate", &["70 MB/s", "210 MB/s"]),
    ("members", &["3"]),
    ("cache", &["1 MiB", "128 MiB"]),
    ("units", &["8", "64"]),
];
