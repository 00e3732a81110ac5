//! How long calls of a channel look for their end before they sleep: the driver's setting `poll_us`, which is changed for a run and
//! put back after it.
//!
//! What was changed is known to the process as a whole, so that a second Ctrl-C, which ends it at once, can have it put back first
//! ([`put_back`]). A process that is killed leaves it.

use crate::drive::Drive;
use crate::error::Error;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Settings that were changed, and what they were.
static CHANGED: Mutex<Vec<(PathBuf, String)>> = Mutex::new(Vec::new());

fn changed() -> MutexGuard<'static, Vec<(PathBuf, String)>> {
    CHANGED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts back all settings that this process has changed.
pub fn put_back() {
    for (path, was) in changed().drain(..) {
        // The card may be gone.
        let _ = std::fs::write(path, was);
    }
}

/// Settings of some channels, which are put back when this goes.
pub(crate) struct Settings(Vec<PathBuf>);

impl Settings {
    /// Has calls of these channels look for their ends for so long, in microseconds.
    ///
    /// # Errors
    /// The driver has no such setting, or it may not be changed. What was changed before is put back.
    pub fn poll(drives: &[&Drive], us: u32) -> Result<Settings, Error> {
        Settings::by(Path::new("/sys"), drives, us)
    }

    fn by(sys: &Path, drives: &[&Drive], us: u32) -> Result<Settings, Error> {
        let mut settings = Settings(Vec::new());
        for drive in drives {
            let (major, minor) = drive.device;
            let path = sys.join(format!("dev/char/{major}:{minor}/settings/poll_us"));
            let wrong = |source| Error::Setting { path: drive.path.clone(), source };
            let was = std::fs::read_to_string(&path).map_err(wrong)?;
            if was.trim() != us.to_string() {
                // Known before it is changed: whoever ends the process in between puts back what it still is.
                changed().push((path.clone(), was.trim().to_string()));
                settings.0.push(path.clone());
                std::fs::write(&path, us.to_string()).map_err(wrong)?;
            }
        }
        Ok(settings)
    }
}

impl Drop for Settings {
    fn drop(&mut self) {
        let mut all = changed();
        for path in &self.0 {
            if let Some(at) = all.iter().position(|(known, _)| known == path) {
                let (path, was) = all.swap_remove(at);
                let _ = std::fs::write(path, was);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]
mod tests {
    use super::*;
    use crate::drive::testing::stand_in;
    use card::Direction;
    use std::fs::{self, File};

    #[test]
    fn is_a_setting_put_back_at_the_end_at_an_error_and_when_the_process_ends_at_once() {
        let sys = std::env::temp_dir().join(format!("lanescope-setting-{}", std::process::id()));
        let path = |minor: u32| sys.join(format!("dev/char/0:{minor}/settings/poll_us"));
        for (minor, us) in [(0, "0\n"), (1, "70\n")] {
            fs::create_dir_all(path(minor).parent().unwrap()).unwrap();
            fs::write(path(minor), us).unwrap();
        }
        let channel = |minor| stand_in("a/c2h0", Direction::ToHost, (0, minor), File::open("/dev/null").unwrap());
        let (one, other, none) = (channel(0), channel(1), channel(2));
        let now = || [0, 1].map(|minor| fs::read_to_string(path(minor)).unwrap().trim().to_string());
        let held = Settings::by(&sys, &[&one, &other], 50).unwrap();
        assert_eq!(now(), ["50", "50"]);
        drop(held);
        assert_eq!(now(), ["0", "70"]);
        let told = Settings::by(&sys, &[&one, &other, &none], 50).err().unwrap().to_string();
        assert_eq!(told, "how long calls of a/c2h0 look for their end cannot be set");
        assert_eq!(now(), ["0", "70"], "what was changed before the error is put back");
        let held = Settings::by(&sys, &[&one, &other], 70).unwrap();
        assert_eq!(now(), ["70", "70"]);
        put_back();
        assert_eq!(now(), ["0", "70"]);
        fs::write(path(0), "9").unwrap();
        drop(held);
        assert_eq!(now(), ["9", "70"], "it was put back once");
        fs::remove_dir_all(&sys).unwrap();
    }
}
