//! Access to files by their paths, in a folder or an archive.

/// The folder that lists the functions.
pub const DEVICES: &str = "bus/pci/devices";

/// A tree of files: a folder or an archive. Paths are relative to its root, with `/` between their parts. What does not exist
/// or may not be read is absent.
pub trait Files {
    /// The content of a file; only its first bytes if it is large.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// The names in a folder, sorted.
    fn list(&self, path: &str) -> Vec<String>;
    /// The target of a symbolic link, as written; `None` if it is no link.
    fn link(&self, path: &str) -> Option<String>;
    /// True for a folder, or a link to one.
    fn is_folder(&self, path: &str) -> bool;
}

/// The content of a file as text, without blanks around it; `None` if there is none.
pub fn text(files: &dyn Files, path: &str) -> Option<String> {
    let bytes = files.read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_string())
}

/// The last part of a link's target: the name of a driver, the number of a group.
pub fn link_name(files: &dyn Files, path: &str) -> Option<String> {
    let target = files.link(path)?;
    target.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_string)
}

/// The path that a link at `path` leads to, with `.` and `..` resolved; `None` if it is above the root.
pub fn resolve(path: &str, target: &str) -> Option<String> {
    let mut parts: Vec<&str> = if target.starts_with('/') { Vec::new() } else { path.split('/').collect() };
    parts.pop();
    for part in target.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_link_resolved_from_its_folder_and_never_above_the_root() {
        let path = "bus/pci/devices/0000:00:01.0";
        assert_eq!(resolve(path, "../../../devices/pci0000:00").as_deref(), Some("devices/pci0000:00"));
        assert_eq!(resolve(path, "../../../../etc/passwd"), None);
    }
}
