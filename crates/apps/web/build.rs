//! Bundles the 3D view of the page, if npm is available.
//!
//! The packages that npm installs are put into `OUT_DIR` and removed once the bundle is made.
//! Without npm, or without access to the packages, the crate still builds: the page then shows
//! camera pictures that the server renders.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

const SOURCES: [&str; 3] = ["package.json", "package-lock.json", "scene3d.js"];
/// Environment variable that, if set, builds the page without the 3D view.
const NO_NPM: &str = "REGRASP_NO_NPM";

fn main() {
    for source in SOURCES {
        println!("cargo:rerun-if-changed=page/{source}");
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed={NO_NPM}");
    println!("cargo:rerun-if-env-changed=PATH");
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    let bundle = out.join("scene3d.js");
    if let Err(why) = make(&out.join("page"), &bundle) {
        println!(
            "cargo:warning=the live page is built without its 3D view ({why}); it shows camera \
             pictures instead. Install Node.js with npm and build again to get it."
        );
        if let Err(error) = fs::write(&bundle, "") {
            println!("cargo:error=failed to write {}: {error}", bundle.display());
        }
    }
}

fn make(folder: &Path, bundle: &Path) -> Result<(), String> {
    if env::var_os(NO_NPM).is_some() {
        return Err(format!("{NO_NPM} is set"));
    }
    copy_sources(folder).map_err(|error| format!("its sources cannot be copied: {error}"))?;
    let npm = if cfg!(windows) { "npm.cmd" } else { "npm" };
    let mut install = Command::new(npm);
    install.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]);
    run(install.current_dir(folder), "npm ci")?;
    let mut esbuild = Command::new("node");
    esbuild.arg("node_modules/esbuild/bin/esbuild").args([
        "scene3d.js",
        "--bundle",
        "--format=esm",
        "--minify",
        "--target=es2022",
        "--legal-comments=inline",
    ]);
    esbuild.arg(format!("--outfile={}", bundle.display()));
    run(esbuild.current_dir(folder), "esbuild")?;
    // The packages take tens of megabytes, and only the bundle is needed.
    fs::remove_dir_all(folder).map_err(|error| format!("node_modules cannot be removed: {error}"))
}

fn copy_sources(folder: &Path) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for source in SOURCES {
        fs::copy(Path::new("page").join(source), folder.join(source))?;
    }
    Ok(())
}

fn run(command: &mut Command, what: &str) -> Result<(), String> {
    // Captured, because cargo interprets the output of a build script.
    let output = command.stdin(Stdio::null()).output();
    let output = output.map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => format!("{what}: npm and Node.js are not installed"),
        _ => format!("{what}: {error}"),
    })?;
    if output.status.success() {
        return Ok(());
    }
    let text = String::from_utf8_lossy(&output.stderr);
    let last = text.lines().rfind(|line| !line.trim().is_empty());
    Err(format!(
        "{what} failed: {}",
        last.unwrap_or("no reason given")
    ))
}
