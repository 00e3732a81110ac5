//! What do memory, the root complex, software and the CPU's own stores and loads cost?

mod common;
use common::{app_rate, assert_near, flow, latency_ns, outcome, rate, stream};
use system::{Share, Wait};

/// A card that is set to shorter payloads than its host gets completions that it takes, whatever the host could send.
#[test]
fn are_completions_no_longer_than_the_reader_takes() {
    let with = |card: &str| rate("read", &["settings.mps=512", "host.completion_bytes=512", card]);
    let (short, long) = (with("card.setpci.mps=128"), with("card.setpci.mps=512"));
    assert_near(short, rate("read", &["settings.mps=128"]), 1.0);
    assert!(long > 1.1 * short, "{long} with 512 bytes, {short} with 128");
}

#[test]
fn does_read_latency_hide_behind_requests_in_flight() {
    let one = ["card.read_requests=1", "card.read_request=512 B", "host.read_latency=1 us"];
    let slow = flow("read", &one);
    assert!(stream(&slow) < 450.0, "{:?}", slow.stream);
    let half = rate("read", &["card.read_requests=1", "card.read_request=512 B", "host.read_latency=500 ns"]);
    assert!(half > 1.3 * stream(&slow));
    let many = rate("read", &["card.read_requests=16", "card.read_request=512 B", "host.read_latency=1 us"]);
    assert!(many > 1650.0, "{many}");
}

#[test]
fn is_the_completion_as_long_as_all_its_bounds_allow() {
    let size = |overrides: &[&str]| rate("read", overrides);
    let header = |payload: f64| 2000.0 * payload / (payload + 20.0) * 1180.0 / 1184.0;
    assert_near(size(&["host.completion_bytes=64"]), header(64.0), 1.5);
    assert_near(size(&[]), header(128.0), 1.5);
    assert_near(size(&["settings.mps=512"]), header(512.0), 1.5);
    assert_near(size(&["settings.mps=512", "host.completion_bytes=256"]), header(256.0), 1.5);
}

#[test]
fn are_requests_answered_in_the_order_they_came_or_in_turn() {
    let first = |serve: &str| {
        let overrides = [serve, "card[0].read_requests=8", "card[1].read_requests=1", "card.read_request=4096 B"];
        stream(&outcome("reads", &overrides).flows[1])
    };
    let (in_order, in_turn) = (first("host.serve_reads=in-order"), first("host.serve_reads=in-turn"));
    assert!(in_turn > 2.0 * in_order, "one request against eight: {in_turn} in turn, {in_order} in order");
}

/// Writes without end of credits wait at memory in any number. Loads of the CPU from the other card go on meanwhile, and
/// they open and close the window.
#[test]
fn do_writes_count_when_memory_has_served_them_and_not_when_they_arrive() {
    let overrides = ["host.write_service=400 ns", "host.posted_headers=infinite", "host.posted_data=infinite"];
    let mut scenario = common::scenario("write", &overrides);
    scenario.flows.extend(common::scenario("loads", &overrides).flows);
    let memory = 128.0 / 400e-9 * 1e-6;
    let both = lanescope_sim::run(&scenario, &dma::options()).unwrap();
    assert!(both.window.is_ok(), "{:?}", both.window);
    assert_near(stream(&both.flows[0]), memory, 0.5);
}

#[test]
fn what_does_memory_cost_a_write() {
    let plain = rate("write", &[]);
    assert_near(rate("write", &["host.line_service=20 ns"]), plain, 0.2);
    assert_near(rate("write", &["host.line_service=50 ns"]), 128.0 / 100e-9 * 1e-6, 0.5);
    assert_near(rate("write", &["host.write_service=100 ns"]), 128.0 / 100e-9 * 1e-6, 0.5);
    assert_near(rate("write", &["host.page_service=10 us"]), 4096.0 / 10e-6 * 1e-6, 1.0);
    let partial = ["card.payload=32", "host.partial_line_service=100 ns"];
    assert_near(rate("write", &partial), 32.0 / 100e-9 * 1e-6, 0.5);
    assert!(rate("write", &["card.payload=32"]) > 2.0 * rate("write", &partial));
    assert_near(
        rate("write", &["card.payload=64", "host.partial_line_service=100 ns"]),
        rate("write", &["card.payload=64"]),
        0.1,
    );
}

#[test]
fn does_a_cap_hold_a_port_under_its_link() {
    assert_near(rate("write", &["host.port_cap=290 MB/s"]), 290.0, 0.5);
    assert_near(rate("read", &["host.port_cap=290 MB/s"]), 290.0, 0.5);
    assert_near(rate("write", &["host.lane_cap=100 MB/s"]), 400.0, 0.5);
    assert_near(rate("write", &["switch.port_cap=290 MB/s"]), 290.0, 0.5);
    assert_near(rate("read", &["switch.lane_cap=100 MB/s"]), 400.0, 0.5);
    assert_near(rate("write", &["host.port_cap=infinite"]), rate("write", &[]), 0.01);
}

#[test]
fn what_does_software_cost_a_command() {
    let plain = 4096.0 / app_rate("commands", &[]);
    let with = |field: &str| 4096.0 / app_rate("commands", &[field]) - plain;
    for (field, cost_us) in [
        ("host.command_cost=2 us", 2.0),
        ("host.call_cost=2 us", 2.0),
        ("host.descriptor_cost=2 us", 2.0),
        ("host.poll_interval=2 us", 2.0),
        ("card.command_latency=2 us", 2.0),
    ] {
        assert!((with(field) - cost_us).abs() < 0.02, "{field}: {} us", with(field));
    }
    let interrupt = app_rate("commands", &["host.notice=interrupt", "host.interrupt_latency=5 us"]);
    assert!((4096.0 / interrupt - plain - 5.0).abs() < 0.1, "{interrupt}");
    let waits = flow("commands", &["host.command_cost=2 us"]).budget.of(Share::Idle(Wait::Software));
    assert!(waits > 0.3, "{waits}");
}

#[test]
fn do_threads_reach_the_bus_one_after_another() {
    let end = |serial: &str| outcome("both-commands", &["host.descriptor_cost=10 us", serial]).end.as_ns();
    let apart = end("host.descriptors_in_turn=yes") - end("host.descriptors_in_turn=no");
    assert!((100_000.0..170_000.0).contains(&apart), "sixteen descriptors later, less what overlapped: {apart} ns");
}

#[test]
fn what_bounds_pio_stores() {
    let link = 2000.0 * 64.0 / 84.0 * 1180.0 / 1184.0;
    assert_near(app_rate("stores", &["host.pio_line_fill=10 ns"]), link, 0.7);
    assert_near(app_rate("stores", &["host.pio_line_fill=100 ns"]), 640.0, 0.5);
    assert_near(app_rate("stores", &["host.pio_line_fill=10 ns", "host.pio_gap=8 ns"]), 64.0 / 50e-3, 0.5);
    assert_near(app_rate("short-stores", &["host.pio_call_cost=80 ns"]), 640.0, 0.5);
    let restart = ["host.pio_line_fill=10 ns", "host.pio_restart=58 ns"];
    assert_near(app_rate("short-stores", &restart), 640.0, 0.5);
    assert_near(app_rate("stores", &restart), link, 0.7);
}

#[test]
fn do_more_line_buffers_keep_the_cpu_ahead_of_a_far_link() {
    let far = ["host.pio_buffers=1", "host.pio_line_fill=30 ns"];
    let near = ["host.pio_buffers=8", "host.pio_line_fill=30 ns"];
    assert!(app_rate("stores", &near) > 1.5 * app_rate("stores", &far));
}

#[test]
fn does_a_pio_load_wait_for_its_answer() {
    let latency = latency_ns("loads", &["card.target_read_latency=500 ns"]);
    let rate = app_rate("loads", &["card.target_read_latency=500 ns"]);
    assert_near(rate, 8.0 / latency * 1e3, 1.0);
    assert!(latency > 700.0 && latency < 900.0, "{latency}");
    let longer = app_rate("loads", &["card.target_read_latency=500 ns", "host.pio_read_bytes=16"]);
    assert!(longer > 1.9 * rate);
    let costly = app_rate("loads", &["card.target_read_latency=500 ns", "host.pio_read_cost=1 us"]);
    assert_near(costly, 8.0 / (latency + 1000.0) * 1e3, 1.0);
}
