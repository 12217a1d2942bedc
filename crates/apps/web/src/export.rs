//! Files that are made from a run's recording on request.

use std::fs;
use std::io;
use std::path::Path as FilePath;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Path, State};
use axum::http::StatusCode;
use axum::response::Response;
use parking_lot::Mutex;
use regrasp_session::{Export, MakeExport, NoRecording};
use tempfile::TempDir;
use tokio::task::spawn_blocking;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::http::{attached, failed, name_of, plain};
use crate::shared::{ExportLimits, Shared};

/// Timeout for the export of another client to finish.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) async fn export(
    State(shared): State<Arc<Shared>>,
    Path((n, name)): Path<(u64, String)>,
) -> Response {
    let known = shared.session.exports();
    let Some(export) = known.iter().find(|export| export.name == name) else {
        let names: Vec<_> = known.iter().map(|export| export.name).collect();
        let text = format!(
            "there is no export `{name}` (exports: {})",
            names.join(", ")
        );
        return plain(StatusCode::NOT_FOUND, text);
    };
    let Some(make) = export.make.clone() else {
        return plain(StatusCode::NOT_IMPLEMENTED, not_built(export));
    };
    let recording = match shared.session.run_recording(n) {
        Ok(recording) => recording,
        Err(why @ NoRecording::UnderWay(_)) => return plain(StatusCode::CONFLICT, why.to_string()),
        Err(why) => return plain(StatusCode::NOT_FOUND, why.to_string()),
    };
    let studio = Arc::clone(&shared.studio).acquire_owned();
    let Ok(Ok(permit)) = timeout(PATIENCE, studio).await else {
        let text = "another file is being made; try again when it is done";
        return plain(StatusCode::SERVICE_UNAVAILABLE, text);
    };
    let stem = name_of(n, shared.session.run_folder(n).as_deref());
    let name = format!("{stem}.{}", export.extension);
    let unwanted = shared.closing.child_token();
    // Dropped with the request when its client disconnects.
    let _somebody_waits = unwanted.clone().drop_guard();
    let job = Job {
        make,
        limits: shared.exports,
        unwanted,
    };
    let out_name = name.clone();
    let made = spawn_blocking(move || {
        let _permit = permit;
        job.make(&recording, &out_name)
    });
    match made.await {
        Ok(Ok(file)) => attached(export.media_type, file, &name),
        Ok(Err(ExportError::Limit(text))) => plain(StatusCode::PAYLOAD_TOO_LARGE, text),
        Ok(Err(ExportError::Failed(text))) => failed(format!(
            "the {} cannot be made: failed to {text}",
            export.label
        )),
        Err(_) => failed(format!("the {} was aborted by a bug", export.label)),
    }
}

fn not_built(export: &Export) -> String {
    let Export { label, feature, .. } = export;
    format!("this build cannot make a {label}: build it with `--features {feature}` (or full)")
}

enum ExportError {
    Limit(String),
    /// Any other failure, as a sentence that fits after "failed to".
    Failed(String),
}

impl From<io::Error> for ExportError {
    fn from(error: io::Error) -> Self {
        Self::Failed(format!("write a temporary file: {error}"))
    }
}

struct Job {
    make: MakeExport,
    limits: ExportLimits,
    unwanted: CancellationToken,
}

impl Job {
    /// Makes the file in a temporary folder, which is removed afterwards.
    fn make(&self, recording: &FilePath, name: &str) -> Result<Vec<u8>, ExportError> {
        let folder = TempDir::with_prefix("regrasp-export-")?;
        let out = folder.path().join(name);
        let end = Instant::now() + self.limits.time;
        let too_much = Mutex::new(None);
        let is_wanted = || {
            let cost = self.too_much(folder.path(), end);
            let is_wanted = cost.is_none() && !self.unwanted.is_cancelled();
            *too_much.lock() = cost;
            is_wanted
        };
        let made = (self.make)(recording, &out, &is_wanted);
        if let Some(why) = too_much.into_inner() {
            return Err(ExportError::Limit(why));
        }
        made.map_err(ExportError::Failed)?;
        // The last bytes may have been written after the last call of `is_wanted`.
        if let Some(why) = self.too_large(folder.path()) {
            return Err(ExportError::Limit(why));
        }
        Ok(fs::read(&out)?)
    }

    fn too_much(&self, folder: &FilePath, end: Instant) -> Option<String> {
        if Instant::now() < end {
            return self.too_large(folder);
        }
        let secs = self.limits.time.as_secs_f64();
        Some(instead(&format!(
            "making it takes longer than the limit of {secs:.0} s"
        )))
    }

    fn too_large(&self, folder: &FilePath) -> Option<String> {
        let files = fs::read_dir(folder).ok()?.filter_map(Result::ok);
        let sizes = files.filter_map(|file| Some(file.metadata().ok()?.len()));
        let mib = self.limits.bytes as f64 / f64::from(1 << 20);
        let is_too_large = sizes.sum::<u64>() > self.limits.bytes;
        is_too_large.then(|| instead(&format!("it is larger than the limit of {mib:.1} MiB")))
    }
}

fn instead(why: &str) -> String {
    format!("{why}; download the run, and make it with the command line")
}
