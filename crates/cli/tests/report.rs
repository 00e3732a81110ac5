//! A report is complete in one file, and a browser shows it without errors.

#![allow(clippy::unwrap_used)]

mod common;

use common::{fresh, stdout};
use std::io::Read;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A report of two cards that write to each other, with all published points of that experiment.
fn report(test: &str) -> PathBuf {
    let path = fresh(test).join("report.html");
    stdout(&["run", "rosta-rb8v7", "p2p-write", "--report", path.to_str().unwrap()]);
    path
}

#[test]
fn is_all_of_a_report_in_one_file_with_a_table_behind_every_picture() {
    let text = std::fs::read_to_string(report("report-whole")).unwrap();
    assert!(text.contains("default-src 'none'"), "the browser refuses what would ask of a network");
    for asks in ["<script", "src=", "@import", "url("] {
        assert!(!text.contains(asks), "{asks}");
    }
    let outside = text.match_indices("://").filter(|(at, _)| !text[..at + 22].ends_with("http://www.w3.org/2000/svg"));
    assert_eq!(outside.count(), 0);
    let figures = text.split("<figure>").skip(1).map(|rest| rest.split("</figure>").next().unwrap());
    let mut count = 0;
    for figure in figures {
        count += 1;
        assert!(figure.contains("<table>"), "a picture without its table");
        let pictures = if figure.contains("class=\"zoom\"") { 4 } else { 2 };
        assert_eq!(figure.matches("role=\"img\"").count(), pictures, "wide and narrow");
        assert_eq!(figure.matches("<title id=").count(), pictures);
        assert_eq!(figure.matches("<desc id=").count(), pictures);
    }
    assert_eq!(count, 4, "rates, links, budget, latency");
    for shown in ["790.8", "board[0].up → rha25.down[0]: Gen3 x4, transmit", "A. Rumyantsev", "fitted"] {
        assert!(text.contains(shown), "{shown}");
    }
}

/// A chart of values close together, with more points than curves, code in text, and errors that round to zero.
#[test]
fn can_near_values_be_told_apart_and_is_what_is_left_out_said() {
    let path = fresh("report-zoom").join("report.html");
    let axes = ["--axis", "flows=1,2,3", "--axis", "payload=128,192,256"];
    let unit = ["--unit", "GB/s", "--report", path.to_str().unwrap()];
    stdout(&[&["run", "rosta-rb8v7", "p2p-write"], &axes[..], &unit[..]].concat());
    let text = std::fs::read_to_string(path).unwrap();
    let zoomed = text.split("class=\"zoomed\"").nth(1).unwrap().split("</svg>").next().unwrap();
    assert!(!zoomed.contains(">0.000<") && zoomed.contains("GB/s"), "it begins near its values: {zoomed}");
    assert!(text.contains("Zoom: 1."), "what is zoomed to is said");
    assert!(text.contains("Drawn: 8 of 9 points"), "a curve is left out");
    for other in [" MB/s", " MiB/s"] {
        assert!(!text.contains(other), "one unit on a page: {other}");
    }
    assert!(!text.contains("-0.0 %") && !text.contains('`'), "signs of nothing, backticks");
}

/// One of the three points of that experiment has no value of the horizontal axis.
#[test]
fn is_a_point_without_the_axis_joined_to_nothing() {
    let path = fresh("report-beside").join("report.html");
    stdout(&["run", "rosta-rb8v7", "p2p-latency", "--report", path.to_str().unwrap()]);
    let text = std::fs::read_to_string(path).unwrap();
    let (_, chart) = text.split_once("latency against switches").unwrap();
    let (picture, _) = chart.split_once("</svg>").unwrap();
    assert!(picture.contains(">part=fpga</text>"), "it stands at its own name: {picture}");
    assert!(!picture.contains("<polyline"), "no line goes through it");
}

/// The browser's log for a page, with all its network requests sent to `proxy`.
fn browse(chromium: &Path, page: &Path, proxy: &str, width: u32) -> (String, Vec<u8>) {
    let profile = page.with_file_name(format!("profile-{width}"));
    let shot = page.with_file_name(format!("{width}.png"));
    let mut command = Command::new(chromium);
    command.args(["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]);
    command.args([
        "--disable-component-update",
        "--disable-sync",
        "--disable-quic",
        "--enable-logging=stderr",
        "--v=0",
    ]);
    command.args([format!("--user-data-dir={}", profile.display()), format!("--proxy-server={proxy}")]);
    command.args([format!("--window-size={width},1200"), format!("--screenshot={}", shot.display())]);
    command.arg("--proxy-bypass-list=<-loopback>").arg(format!("file://{}", page.display()));
    let output = command.output().unwrap();
    let _ = std::fs::remove_dir_all(profile);
    (String::from_utf8_lossy(&output.stderr).into_owned(), std::fs::read(shot).unwrap_or_default())
}

/// Hosts that Chromium contacts for any page, in spite of all flags that should prevent it.
const BROWSERS_OWN: [&str; 5] = [
    "clients2.google.com",
    "update.googleapis.com",
    "accounts.google.com",
    "optimizationguide-pa.googleapis.com",
    "content-autofill.googleapis.com",
];

/// The hosts of the requests that are waiting at `network`.
fn asked(network: &TcpListener) -> Vec<String> {
    network.set_nonblocking(true).unwrap();
    let mut hosts = Vec::new();
    while let Ok((mut stream, _)) = network.accept() {
        let mut line = [0; 400];
        let _ = stream.set_nonblocking(true);
        let count = stream.read(&mut line).unwrap_or(0);
        let line = String::from_utf8_lossy(&line[..count]).into_owned();
        let url = line.split(' ').nth(1).unwrap_or("?");
        let host = url.trim_start_matches("http://").split(['/', ':']).next().unwrap_or("?");
        hosts.push(host.to_string());
    }
    hosts
}

#[test]
fn does_a_browser_show_a_report_without_a_complaint_and_without_a_network() {
    let test = "does_a_browser_show_a_report_without_a_complaint_and_without_a_network";
    let Some(chromium) = testing::tool(test, "chromium") else { return };
    let page = report("report-browser");
    let network = TcpListener::bind("127.0.0.1:0").unwrap();
    let proxy = format!("http://{}", network.local_addr().unwrap());
    for width in [1400, 400] {
        let (log, picture) = browse(&chromium, &page, &proxy, width);
        assert!(picture.len() > 20_000, "nothing to see: {log}");
        // A request that the page's policy blocks is a console message too.
        let complaints: Vec<&str> = log.lines().filter(|line| line.contains("CONSOLE")).collect();
        assert!(complaints.is_empty(), "{complaints:?}");
    }
    let hosts = asked(&network);
    let others: Vec<&String> = hosts.iter().filter(|host| !BROWSERS_OWN.contains(&host.as_str())).collect();
    assert!(others.is_empty(), "asked of the network: {others:?}");
}
