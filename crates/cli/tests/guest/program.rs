//! A program of this machine in a guest.

use super::cpio::Cpio;
use std::path::Path;
use std::process::Command;

/// Adds a program, as `name`, with the shared libraries and the loader that it needs, at the paths where it expects them.
pub fn program(cpio: &mut Cpio, program: &Path, name: &str, folder: &Path) {
    let stripped = folder.join(name);
    std::fs::copy(program, &stripped).unwrap();
    let _ = Command::new("strip").arg(&stripped).status();
    cpio.file(name, &std::fs::read(&stripped).unwrap());
    let output = Command::new("ldd").arg(program).output().unwrap();
    let mut folders = vec![String::new()];
    for path in String::from_utf8_lossy(&output.stdout).split_whitespace().filter(|word| word.starts_with('/')) {
        let path = path.trim_start_matches('/');
        let mut at = String::new();
        for part in path.rsplit_once('/').map_or("", |(folder, _)| folder).split('/') {
            at = if at.is_empty() { part.to_string() } else { format!("{at}/{part}") };
            if !folders.contains(&at) {
                cpio.folder(&at);
                folders.push(at.clone());
            }
        }
        cpio.file(path, &std::fs::read(Path::new("/").join(path)).unwrap());
    }
}
