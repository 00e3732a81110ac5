//! Each picture of a report can be a file of its own, which can be read wherever it is put.

#![allow(clippy::unwrap_used)]

mod common;

use common::{fresh, lanescope, stdout};
use roxmltree::{Document, Node};
use std::path::Path;

/// The pictures of a folder with their names, in the order of these.
fn pictures(folder: &Path) -> Vec<(String, String)> {
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let named = files.map(|path| {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(path).unwrap())
    });
    let mut all: Vec<(String, String)> = named.collect();
    all.sort();
    all
}

/// The names of the wide ones. Each has a narrow one beside it.
fn wide(found: &[(String, String)]) -> Vec<&str> {
    let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
    let (narrow, wide): (Vec<&str>, Vec<&str>) = names.into_iter().partition(|name| name.ends_with("-narrow.svg"));
    let beside: Vec<String> = wide.iter().map(|name| name.replace(".svg", "-narrow.svg")).collect();
    assert_eq!(
        beside.iter().collect::<std::collections::BTreeSet<_>>(),
        narrow.iter().map(|n| n.to_string()).collect::<Vec<_>>().iter().collect()
    );
    wide
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).map_or(0.0, |text| text.parse().unwrap())
}

/// Fails where a picture needs something outside itself, or where a text lies outside of it.
fn stands_alone(name: &str, text: &str) {
    let document = Document::parse(text).unwrap();
    let root = document.root_element();
    let (wide, high) = (number(root, "width"), number(root, "height"));
    assert_eq!(root.attribute("viewBox").unwrap(), format!("0 0 {wide} {high}"), "{name}");
    let ground = document.descendants().find(|node| node.attribute("class") == Some("ground")).unwrap();
    assert_eq!((number(ground, "width"), number(ground, "height")), (wide, high), "{name}: a background of its own");
    assert!(text.contains("@media (prefers-color-scheme: dark)"), "{name}");
    for needs in ["var(", "--", "url(", "@import", "<script", "class=\"narrow"] {
        assert!(!text.contains(needs), "{name}: {needs}");
    }
    assert!(!text.replace("http://www.w3.org/2000/svg", "").contains("://"), "{name}");
    for node in document.descendants().filter(|node| node.has_tag_name("text")) {
        let said = node.text().unwrap_or_default();
        let size = if node.attribute("class") == Some("head") { 17.0 } else { 12.0 };
        let (room, x) = (said.chars().count() as f64 * size * 0.56, number(node, "x"));
        let shift = node.ancestors().filter_map(|above| above.attribute("transform"));
        let shift =
            shift.map(|text| text.trim_start_matches("translate(").split(' ').next().unwrap().parse::<f64>().unwrap());
        let x = x + shift.sum::<f64>();
        let class = node.attribute("class").unwrap_or_default();
        let left = if class.contains("end") {
            x - room
        } else if class.contains("middle") {
            x - room / 2.0
        } else {
            x
        };
        assert!(
            left >= -1.0 && left + room <= wide + 8.0,
            "{name}: `{said}` from {left:.0} to {:.0} of {wide}",
            left + room
        );
    }
}

#[test]
fn is_each_picture_of_a_run_a_file_that_says_what_it_is_and_stands_alone() {
    let folder = fresh("pictures-run");
    let new = folder.join("new");
    let axes = ["--axis", "flows=1,2", "--axis", "payload=128,256"];
    let files =
        ["--svg", new.to_str().unwrap(), "--report", &format!("{}/report.html", folder.display())].map(str::to_string);
    let asked: Vec<&str> =
        ["run", "rosta-rb8v7", "p2p-write"].into_iter().chain(axes).chain(files.iter().map(String::as_str)).collect();
    stdout(&asked);
    let found = pictures(&new);
    let names = wide(&found);
    let of = |what: &str| format!("rosta-rb8v7-p2p-write-{what}.svg");
    let chart = "throughput-per-flow-against-flows";
    assert_eq!(names, [of("budget"), of("latency"), of("links"), of(&format!("{chart}-zoom")), of(chart)]);
    found.iter().for_each(|(name, text)| stands_alone(name, text));
    let report = std::fs::read_to_string(folder.join("report.html")).unwrap();
    assert_eq!(report.matches("<svg class=\"wide\"").count(), names.len(), "as many as the report has");
    for (name, said) in [("budget", "flows=2 payload=256"), ("links", "Bottleneck: "), (chart, "published")] {
        let text = &found.iter().find(|(own, _)| *own == of(name)).unwrap().1;
        assert!(text.contains(said), "{name}: {said}");
    }
    stdout(&asked);
    assert_eq!(pictures(&new), found, "the same bytes again");
}

#[test]
fn are_limits_drawn_too() {
    let folder = fresh("pictures-limit");
    for (system, experiment) in [("kfcr-5400", "dma-read"), ("rosta-rb8v7", "host-write-many")] {
        stdout(&["limit", system, experiment, "--svg", folder.to_str().unwrap()]);
    }
    let found = pictures(&folder);
    found.iter().for_each(|(name, text)| stands_alone(name, text));
    let names = wide(&found);
    let expected = [
        "kfcr-5400-dma-read-budget.svg",
        "kfcr-5400-dma-read-limit-against-size.svg",
        "rosta-rb8v7-host-write-many-budget.svg",
        "rosta-rb8v7-host-write-many-limit-of-the-slowest-flow-against-devices.svg",
    ];
    assert_eq!(names, expected);
}

/// Names and titles that are no names of files and no XML, and a label as long as a line.
#[test]
fn do_names_of_any_kind_give_files_within_the_folder_that_are_xml() {
    let folder = fresh("pictures-names");
    let yaml = "title: \"<a> & \\\"b\\\"\"\nparts:\n  host: { part: generic/gen3-host, slots: { a: gen3 x8 } }\n  card: { part: generic/gen3-card }\n\
        links:\n  - host.a - card.pcie\nexperiments:\n  \"../x <&> y\":\n    about: a & b < c\n    operation: dma-write\n    volume: 64 KiB\n    \
        axes: { payload: [128, 256] }\n    flows: [card -> host]\n";
    let path = folder.join("my rig.yaml");
    std::fs::write(&path, yaml).unwrap();
    let into = folder.join("into");
    stdout(&["limit", path.to_str().unwrap(), "--svg", into.to_str().unwrap()]);
    let found = pictures(&into);
    found.iter().for_each(|(name, text)| stands_alone(name, text));
    let chart = "my-rig-x-y-limit-against-payload";
    let names = wide(&found);
    assert_eq!(names, ["my-rig-x-y-budget.svg", &format!("{chart}-zoom.svg"), &format!("{chart}.svg")]);
    assert!(found.iter().all(|(_, text)| text.contains("../x &lt;&amp;&gt; y")));
}

#[test]
fn is_a_folder_that_cannot_be_refused_before_anything_is_simulated() {
    let folder = fresh("pictures-refused");
    let file = folder.join("file");
    std::fs::write(&file, "mine").unwrap();
    for wrong in [file.clone(), folder.join("none").join("deep")] {
        for command in ["run", "limit"] {
            let answer = lanescope(&[command, "rosta-rb8v7", "p2p-write", "--svg", wrong.to_str().unwrap()]);
            let said = String::from_utf8_lossy(&answer.stderr).into_owned();
            assert_eq!(answer.status.code(), Some(2), "{said}");
            assert!(said.contains("is no folder for pictures") && said.contains("--svg FOLDER"), "{said}");
            assert!(answer.stdout.is_empty());
        }
    }
    assert_eq!(std::fs::read_to_string(file).unwrap(), "mine");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1, "nothing else is there");
}
