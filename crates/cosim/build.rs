//! Verilates the builds of `src/builds.rs` and compiles them. Without a Verilator the crate builds all the same and
//! says at run time what to install.
#![allow(missing_docs, clippy::expect_used, clippy::panic)]

use std::env;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

mod verilator;
include!("src/builds.rs");

use verilator::Verilator;

/// Where and how a build is compiled.
struct Tools {
    verilator: Verilator,
    out: PathBuf,
    rtl: Vec<PathBuf>,
}

fn main() {
    let manifest = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let gateware = manifest.join("../../gateware");
    for path in ["build.rs", "verilator.rs", "cpp", "rtl", "src/builds.rs"] {
        println!("cargo:rerun-if-changed={}", manifest.join(path).display());
    }
    for path in ["rtl", "examples/pingpong"] {
        println!("cargo:rerun-if-changed={}", gateware.join(path).display());
    }
    println!("cargo:rerun-if-env-changed=LANESCOPE_VERILATOR");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    let tools = tools(&gateware, &out);
    // Not PATH, which differs between shells and scripts: the Verilator that was found. Where none was, nothing: to watch a
    // file that is not there would compile this crate and all above it anew at every `cargo run`. The gateware's `setup`
    // touches this file when Verilator has come.
    if let Ok(tools) = &tools {
        println!("cargo:rerun-if-changed={}", tools.verilator.program.display());
    }
    let built = tools.and_then(|tools| compile_all(&tools, &manifest));
    let text = match built {
        Ok(text) => {
            println!("cargo:rustc-cfg=gateware");
            text
        }
        Err(why) => format!("/// Why no engine is compiled in.\npub const MISSING: &str = {why:?};\n"),
    };
    std::fs::write(out.join("models.rs"), text).expect("OUT_DIR can be written");
}

fn tools(gateware: &Path, out: &Path) -> Result<Tools, String> {
    let verilator = Verilator::find(gateware)?;
    let folders = ["rtl", "examples/pingpong", "../crates/cosim/rtl"].map(|folder| gateware.join(folder));
    let mut rtl = verilator::sources(&folders)?;
    // The example's own top holds another engine.
    rtl.retain(|path| !path.ends_with("ex_pingpong_top.sv"));
    Ok(Tools { verilator, out: out.to_path_buf(), rtl })
}

fn compile_all(tools: &Tools, manifest: &Path) -> Result<String, String> {
    let mut text = String::from("// Functions of the builds, in the order of `BUILDS`: without and with waves.\n");
    let mut table = String::new();
    runtime(tools)?;
    // Waves are compressed, and the compressor's header may not be there.
    let waves = waves(tools);
    let mut models = Vec::new();
    for build in BUILDS {
        let name = format!("ls_w{}_t{}_b{}", build.width, build.tags, build.completion_buffer);
        for traced in [false, true].into_iter().filter(|traced| waves || !traced) {
            let name = if traced { format!("{name}_waves") } else { name.clone() };
            declare(&mut text, &name);
            models.push(card(build, name, traced));
        }
        let with = if waves { format!("Some(calls!({name}_waves))") } else { "None".into() };
        let _ = write!(table, "[Some(calls!({name})), {with}], ");
    }
    let mut hosts = String::new();
    for build in HOST_BUILDS {
        let name = format!("ls_host_w{}_c{}_b{}", build.width, build.commands, build.buffer);
        declare(&mut text, &name);
        models.push(host(build, name.clone()));
        let _ = write!(hosts, "Some(calls!({name})), ");
    }
    side_by_side(&models, |model| one(tools, manifest, model))?;
    let _ = writeln!(text, "pub static CALLS: [[Option<Calls<In, Out>>; 2]; {}] = [{table}];", BUILDS.len());
    let _ = writeln!(
        text,
        "pub static HOST_CALLS: [Option<Calls<nvme::In, nvme::Out>>; {}] = [{hosts}];",
        HOST_BUILDS.len()
    );
    Ok(text)
}

/// What is Verilated and compiled: a top with its parameters, and the C++ of its functions.
struct Model {
    top: &'static str,
    functions: &'static str,
    parameters: Vec<String>,
    name: String,
    traced: bool,
}

fn card(build: Build, name: String, traced: bool) -> Model {
    let parameters = vec![
        format!("-GWidth={}", build.width),
        format!("-GTags={}", build.tags),
        format!("-GBufBytes={}", build.completion_buffer),
        format!("-GMaxPayload={MAX_PAYLOAD}"),
        format!("-GMaxRequest={MAX_REQUEST}"),
        format!("-GWindowBits={WINDOW_BITS}"),
    ];
    Model { top: "cosim_card", functions: "cpp/model.cpp", parameters, name, traced }
}

fn host(build: HostBuild, name: String) -> Model {
    let parameters = vec![
        format!("-GWidth={}", build.width),
        format!("-GCmds={}", build.commands),
        format!("-GWrBytes={0}", build.buffer),
        format!("-GRdBytes={0}", build.buffer),
        format!("-GCmdBytes={}", build.command),
        format!("-GMaxPayload={MAX_PAYLOAD}"),
        format!("-GMemBase={HOST_MEMORY}"),
        format!("-GBarBase={HOST_BAR}"),
    ];
    Model { top: "cosim_nvme_host", functions: "cpp/nvme_host.cpp", parameters, name, traced: false }
}

/// `work` for all of `items`, as many at a time as cargo was allowed; the first failure.
fn side_by_side<T: Sync>(items: &[T], work: impl Fn(&T) -> Result<(), String> + Sync) -> Result<(), String> {
    let threads = env::var("NUM_JOBS").ok().and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Ok(()));
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, items.len().max(1)) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = work(item);
                    if let (Err(_), Ok(mut done)) = (&result, done.lock()) {
                        *done = result;
                    }
                }
            });
        }
    });
    done.into_inner().unwrap_or_else(|_| Err("a compiling thread ended with an error".into()))
}

fn declare(text: &mut String, name: &str) {
    let of = if name.starts_with("ls_host") { "nvme::In, nvme::Out" } else { "In, Out" };
    let _ = writeln!(text, "declare!({name}, {of}, \"{name}_new\", \"{name}_step\", \"{name}_free\");");
}

/// Verilates and compiles one model with its C functions.
fn one(tools: &Tools, manifest: &Path, model: &Model) -> Result<(), String> {
    let Model { top, functions, parameters, name, traced } = model;
    let (name, traced) = (name.as_str(), *traced);
    let folder = tools.out.join(name);
    let class = format!("V{name}");
    let mut arguments = ["--top", top, "--prefix", &class].map(String::from).to_vec();
    arguments.extend_from_slice(parameters);
    if traced {
        arguments.push("--trace-fst".into());
    }
    tools.verilator.translate(&folder, &arguments, &tools.rtl, "gateware/rtl")?;
    let (mut fast, mut slow) = (tools.verilator.compiler(), tools.verilator.compiler());
    // What runs once, and waves, which are looked at and not waited for, need no optimising.
    slow.opt_level(0);
    for cpp in [&mut fast, &mut slow] {
        cpp.include(&folder).include(manifest.join("cpp")).define("MODEL", class.as_str()).define("NAME", name);
        cpp.define("HEADER", format!("\"{class}.h\"").as_str());
        if traced {
            cpp.define("TRACE", None);
            cpp.opt_level(0);
        }
    }
    let (once, mut often): (Vec<_>, Vec<_>) =
        verilator::made(&folder)?.into_iter().partition(|file| file.to_string_lossy().contains("__Slow"));
    // An object is named after its source, and the models are compiled at once: each has a source of its own.
    let source = folder.join("functions.cpp");
    std::fs::write(&source, format!("#include {:?}\n", manifest.join(functions))).map_err(|e| e.to_string())?;
    often.push(source);
    let common = manifest.join("cpp");
    tools.verilator.library(&mut fast, name, &often, &common)?;
    tools.verilator.library(&mut slow, &format!("{name}_once"), &once, &common)
}

/// What all models share.
fn runtime(tools: &Tools) -> Result<(), String> {
    let verilator = &tools.verilator;
    verilator.library(&mut verilator.compiler(), "ls_verilated", &verilator.runtime(), &verilator.include)
}

/// The writer of waves; false where it cannot be had.
fn waves(tools: &Tools) -> bool {
    let mut cpp = tools.verilator.compiler();
    cpp.file(tools.verilator.include.join("verilated_fst_c.cpp")).cargo_warnings(false);
    let there = cpp.try_compile("ls_waves").is_ok();
    if there {
        println!("cargo:rustc-link-lib=lz4");
        println!("cargo:rustc-link-lib=z");
    }
    there
}
