//! Does a row's `system` match the machine that is meant, and no other?

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use lanescope_lab::DescribedMachine;
use std::path::{Path, PathBuf};

fn folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(folder.join("other")).unwrap();
    folder
}

fn written(path: &Path, text: &str) -> DescribedMachine {
    std::fs::write(path, text).unwrap();
    DescribedMachine::open(path.to_str().unwrap(), &[]).unwrap()
}

fn bundled() -> &'static str {
    system::bundled::text("kfcr-5400").unwrap()
}

#[test]
fn does_a_file_answer_to_its_name_its_path_and_its_title() {
    let folder = folder("own");
    let path = folder.join("mine.yaml");
    let text = bundled().replacen("title: ", "title: My ", 1);
    let mine = written(&path, &text);
    let title = mine.description().title().to_string();
    for name in [path.to_str().unwrap(), "mine.yaml", "mine", "somewhere/else/mine.yml", title.as_str()] {
        assert!(mine.is_called(name), "{name}");
    }
    for name in ["mine.csv", "yours.yaml", "min", "kfcr-5400", "kfcr-x38", ""] {
        assert!(!mine.is_called(name), "{name}");
    }
    // The same name in another folder: the text decides whether it is the same machine.
    let same = folder.join("other/mine.yaml");
    std::fs::write(&same, text.replace("# the cores'", "# remarked: the cores'")).unwrap();
    assert!(mine.is_called(same.to_str().unwrap()));
    std::fs::write(&same, text.replace("lanes: 8 }", "lanes: 4 }")).unwrap();
    assert!(!mine.is_called(same.to_str().unwrap()));
}

#[test]
fn are_figures_of_a_bundled_machine_those_of_a_copy_until_it_is_changed() {
    let path = folder("copied").join("kfcr-5400.yaml");
    let copy = written(&path, &format!("# my copy\n{}", bundled()));
    assert!(copy.is_called("kfcr-5400") && !copy.is_called("kfcr-x38"));
    let changed = written(&path, &bundled().replace("part: intel/5400", "part: intel/5400, read_latency: 1 us"));
    assert!(!changed.is_called("kfcr-5400"));
    let bundled = DescribedMachine::open("kfcr-5400", &[]).unwrap();
    assert!(bundled.is_called("kfcr-5400") && !bundled.is_called(path.to_str().unwrap()));
    assert!(bundled.is_called("systems/kfcr-5400.yaml"));
}
