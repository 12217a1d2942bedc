//! The page in a real browser, from loading it to the download.
//!
//! Ignored by default, because it needs Chromium (or the browser that `CHROMIUM` names) and npm.
//! `LIVE_PAGE_SCREENSHOTS` names a folder for pictures. Playwright drives the browser with
//! `tests/browser/walk.mjs`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc;
use std::{env, fs, thread};

use regrasp::LoadedRobot;
use regrasp_session::{Session, SimBackend, StationOptions};
use regrasp_web::{HAS_3D, ServerOptions, serve_blocking};

const NAMES: &str = "chromium chromium-browser google-chrome google-chrome-stable";

fn chromium() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let folders: Vec<_> = env::split_paths(&env::var_os("PATH")?).collect();
    let files = NAMES.split(' ');
    let files = files.flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    files.into_iter().find(|file| file.is_file())
}

/// Installs Playwright's client, without its browsers.
fn playwright() -> Result<PathBuf, String> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("live_page_browser");
    fs::create_dir_all(&folder).map_err(|error| error.to_string())?;
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/browser");
    for file in ["package.json", "package-lock.json", "walk.mjs"] {
        let copied = fs::copy(source.join(file), folder.join(file));
        copied.map_err(|error| format!("{file} cannot be copied: {error}"))?;
    }
    if folder.join("node_modules/playwright-core").is_dir() {
        return Ok(folder);
    }
    let installed = Command::new("npm")
        .args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"])
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output();
    let output = installed.map_err(|error| format!("npm cannot be run: {error}"))?;
    if output.status.success() {
        return Ok(folder);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    Err(format!("npm could not install Playwright: {said}"))
}

#[test]
#[ignore = "needs Chromium and npm"]
fn the_page_does_what_it_shows() {
    let chromium = chromium();
    let chromium = chromium.expect("Chromium is CHROMIUM, or in PATH under one of its usual names");
    if !HAS_3D {
        panic!("the page was built without its 3D view: build again with npm");
    }
    let folder = playwright().expect("npm installs Playwright");
    let runs = tempfile::tempdir().expect("a folder for runs");
    let mut options = StationOptions {
        runs_dir: Some(runs.path().to_owned()),
        exports: regrasp_export::exports(),
        ..StationOptions::default()
    };
    let mut policy = regrasp_api::ApprovalPolicy::default();
    policy.risks.irreversible = vec!["place_on".into()];
    options.agent.approval = Some(policy);
    let loaded = LoadedRobot::panda().expect("the built-in robot loads");
    let backend = Box::new(SimBackend::new(loaded, options));
    let session = Session::start(backend, "covered", 0, 1.0).expect("the scene is built in");
    let session = Arc::new(session);
    let exports = session.exports().iter().filter(|it| it.make.is_some());
    let exports: Vec<_> = exports.map(|it| it.name).collect();
    let (sender, receiver) = mpsc::channel();
    let server = thread::spawn(move || {
        let options = ServerOptions {
            port: 0,
            ..ServerOptions::default()
        };
        serve_blocking(session, &options, |server| {
            let sent = sender.send((server.url(), server.stopper()));
            sent.expect("the test waits");
        })
    });
    let (url, stopper) = receiver.recv().expect("the server listens");
    let walked = Command::new("node")
        .arg("walk.mjs")
        .arg(&url)
        .arg(&chromium)
        .args(env::var_os("LIVE_PAGE_SCREENSHOTS"))
        .env("LIVE_PAGE_EXPORTS", exports.join(","))
        .current_dir(&folder)
        .stdin(Stdio::null())
        .output()
        .expect("node can be run where npm can");
    stopper.stop();
    let served = server.join().expect("the server does not panic");
    served.expect("the server ends well");
    let said = String::from_utf8_lossy(&walked.stdout);
    let complained = String::from_utf8_lossy(&walked.stderr);
    assert!(walked.status.success(), "{said}\n{complained}");
    report(&said);
}

#[expect(clippy::print_stdout, reason = "the walk's figures are worth reading")]
fn report(said: &str) {
    println!("{said}");
}
