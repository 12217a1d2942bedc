//! Everything that is fetched by HTTP: the page, the scene, pictures, downloads.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use regrasp_render::png_bytes;
use serde::Deserialize;
use serde_json::json;
use tokio::task::spawn_blocking;
use tokio::time::timeout;

use crate::assets;
use crate::download::pack;
use crate::shared::Shared;

/// Timeout for the picture of another client to finish.
const PATIENCE: Duration = Duration::from_secs(5);
/// Cache policy of files that are named after their content, which never change.
const FOREVER: &str = "private, max-age=31536000, immutable";

pub(crate) async fn index() -> Response {
    file("index.html")
}

pub(crate) async fn page(Path(path): Path<String>) -> Response {
    file(&path)
}

fn file(path: &str) -> Response {
    match assets::find(path) {
        Some((kind, text)) => ([(CONTENT_TYPE, kind)], text).into_response(),
        None => plain(StatusCode::NOT_FOUND, "there is no such file"),
    }
}

pub(crate) fn plain(status: StatusCode, text: impl Into<String>) -> Response {
    (status, text.into()).into_response()
}

pub(crate) fn failed(text: impl Into<String>) -> Response {
    plain(StatusCode::INTERNAL_SERVER_ERROR, text)
}

pub(crate) async fn scene(State(shared): State<Arc<Shared>>) -> Response {
    // The surfaces of the links are computed at the first request.
    let made = spawn_blocking(move || {
        let (world, stage, objects) = shared.session.stage()?;
        let cameras = shared.session.cameras();
        Some(shared.meshes.info(world, &stage, &objects, cameras))
    });
    match made.await {
        Ok(Some(info)) => Json(info.as_ref()).into_response(),
        _ => plain(StatusCode::SERVICE_UNAVAILABLE, "no scene is loaded"),
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshQuery {
    /// Maximum deviation of the surface, mm. The default is less than a pixel of a camera half a
    /// metre away.
    #[serde(default = "usual_off_mm")]
    off_mm: f32,
}

fn usual_off_mm() -> f32 {
    0.5
}

pub(crate) async fn mesh(
    State(shared): State<Arc<Shared>>,
    Path(hash): Path<String>,
    Query(MeshQuery { off_mm }): Query<MeshQuery>,
) -> Response {
    // A mesh is simplified when it is first fetched.
    let made = spawn_blocking(move || shared.meshes.mesh(&hash, off_mm / 1000.0));
    let Ok(Some(mesh)) = made.await else {
        return plain(StatusCode::NOT_FOUND, "there is no such mesh in this scene");
    };
    ([(CACHE_CONTROL, FOREVER)], mesh).into_response()
}

pub(crate) async fn history(State(shared): State<Arc<Shared>>) -> Response {
    let shots = shared.session.history();
    let mut all = Vec::with_capacity(shots.len() * 1024);
    for shot in shots {
        all.extend(shot.to_bytes());
    }
    all.into_response()
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureQuery {
    /// Simulated time, s; default: now.
    at: Option<f64>,
    /// Width in pixels; default: the camera's.
    width: Option<u32>,
}

pub(crate) async fn camera(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    Query(query): Query<PictureQuery>,
) -> Response {
    // One picture at a time: the robot needs the processor, too.
    let Ok(Ok(permit)) = timeout(PATIENCE, Arc::clone(&shared.easel).acquire_owned()).await else {
        return plain(
            StatusCode::SERVICE_UNAVAILABLE,
            "other pictures are being rendered; try again",
        );
    };
    let drawn = spawn_blocking(move || {
        let _permit = permit;
        let picture = shared.session.picture(&name, query.width, query.at);
        let picture = picture.map_err(|refusal| refusal.message)?;
        let size = picture.view.intrinsics;
        png_bytes(size.width, size.height, &picture.rgb).map_err(|error| error.to_string())
    });
    match drawn.await {
        Ok(Ok(png)) => ([(CONTENT_TYPE, "image/png")], png).into_response(),
        Ok(Err(message)) => plain(StatusCode::BAD_REQUEST, message),
        Err(_) => failed("the picture could not be rendered"),
    }
}

pub(crate) async fn run(State(shared): State<Arc<Shared>>, Path(n): Path<u64>) -> Response {
    let Some(folder) = shared.session.run_folder(n) else {
        return plain(StatusCode::NOT_FOUND, format!("there is no run {n}"));
    };
    let name = name_of(n, Some(&folder));
    match spawn_blocking(move || pack(&folder)).await {
        Ok(Ok(zip)) => attached("application/zip", zip, &format!("{name}.zip")),
        Ok(Err(error)) => failed(format!("the run cannot be packed: {error}")),
        Err(_) => failed("the run could not be packed"),
    }
}

/// Name of a run's files: that of its folder.
pub(crate) fn name_of(n: u64, folder: Option<&std::path::Path>) -> String {
    let name = folder.and_then(std::path::Path::file_name);
    name.map_or_else(|| format!("run{n}"), |name| name.to_string_lossy().into())
}

/// Response that a browser saves as a download.
pub(crate) fn attached(kind: &'static str, bytes: Vec<u8>, name: &str) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    let disposition = HeaderValue::from_str(&disposition).ok();
    let disposition = disposition.map(|value| [(CONTENT_DISPOSITION, value)]);
    (disposition, [(CONTENT_TYPE, kind)], bytes).into_response()
}

pub(crate) async fn status(State(shared): State<Arc<Shared>>) -> Response {
    let digest = shared.session.digest().await;
    Json(json!({
        "status": shared.session.status(),
        "digest": digest.map(|digest| format!("{digest:016x}")),
    }))
    .into_response()
}
