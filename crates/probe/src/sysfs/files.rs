//! Files by their paths, wherever they are.

/// Where the functions are listed.
pub const DEVICES: &str = "bus/pci/devices";

/// A tree of files: a folder or an archive. Paths are relative to its root, with `/` between their parts; what does
/// not exist or may not be read is absent.
pub trait Files {
    /// The content of a file, its first bytes where it is large.
    fn read(&self, path: &str) -> Option<Vec<u8>>;
    /// The names in a folder, sorted.
    fn list(&self, path: &str) -> Vec<String>;
    /// What a symbolic link says, as it is written; `None` where it is none.
    fn link(&self, path: &str) -> Option<String>;
    /// The path is a folder, or a link to one.
    fn is_folder(&self, path: &str) -> bool;
}

/// The content of a file as text, without the blanks around it; `None` where there is none.
pub fn text(files: &dyn Files, path: &str) -> Option<String> {
    let bytes = files.read(path)?;
    let text = String::from_utf8_lossy(&bytes);
    let text = text.trim_matches(|c: char| c.is_whitespace() || c == '\0');
    (!text.is_empty()).then(|| text.to_string())
}

/// The last part of what a link says: a driver's name, a group's number.
pub fn link_name(files: &dyn Files, path: &str) -> Option<String> {
    let target = files.link(path)?;
    target.rsplit('/').next().filter(|name| !name.is_empty()).map(str::to_string)
}

/// `path` with the parts of `target` put behind its folder, `.` and `..` resolved; `None` above the root.
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
