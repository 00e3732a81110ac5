//! Verilates `rtl/remote_card.sv` with the engine and compiles it. Without a Verilator the crate builds all the same and
//! says at run time what to install.
#![allow(missing_docs, clippy::expect_used)]

use std::env;
use std::path::{Path, PathBuf};

#[path = "../cosim/verilator.rs"]
mod verilator;

use verilator::Verilator;

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    for path in ["build.rs", "../cosim/verilator.rs", "cpp", "rtl", "../../gateware/rtl"] {
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

fn build(manifest: &Path, out: &Path) -> Result<(), String> {
    let gateware = manifest.join("../../gateware");
    let verilator = Verilator::find(&gateware)?;
    println!("cargo:rerun-if-changed={}", verilator.program.display());
    let rtl = verilator::sources(&[gateware.join("rtl"), manifest.join("rtl")])?;
    let folder = out.join("remote_card");
    verilator.translate(&folder, &["--top", "remote_card"].map(String::from), &rtl, "crates/remote/rtl")?;
    let mut sources = verilator::made(&folder)?;
    sources.extend(verilator.runtime());
    sources.push(manifest.join("cpp/model.cpp"));
    verilator.library(verilator.compiler().include(&folder), "ls_remote", &sources, &manifest.join("cpp"))
}
