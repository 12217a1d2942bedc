//! What is fetched: the page, the scene, pictures, downloads.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::body::Body;
use axum::extract::rejection::QueryRejection;
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
use crate::guard::plain;
use crate::shared::Shared;

/// Somebody else's picture is waited for so long.
const PATIENCE: Duration = Duration::from_secs(5);
/// What is named after its content never changes.
const FOREVER: &str = "private, max-age=31536000, immutable";

pub(crate) async fn index() -> Response {
    file("index.html")
}

pub(crate) async fn page(Path(path): Path<String>) -> Response {
    file(&path)
}

fn file(path: &str) -> Response {
    match assets::find(path) {
        Some((kind, text)) => bytes(kind, text.as_bytes().to_vec()),
        None => plain(StatusCode::NOT_FOUND, "there is no such file"),
    }
}

pub(crate) fn bytes(kind: &'static str, bytes: Vec<u8>) -> Response {
    let mut response = Response::new(Body::from(bytes));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

pub(crate) async fn scene(State(shared): State<Arc<Shared>>) -> Response {
    // Links are melted into surfaces when somebody looks for the first time.
    let made = spawn_blocking(move || {
        let (world, stage, objects) = shared.session.stage()?;
        let cameras = shared.session.cameras();
        Some(shared.meshes.info(world, &stage, &objects, cameras))
    });
    match made.await {
        Ok(Some(info)) => Json(info.as_ref()).into_response(),
        _ => plain(StatusCode::SERVICE_UNAVAILABLE, "there is no scene"),
    }
}

/// How fine a mesh.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct MeshQuery {
    /// What its surface may be off, mm: by default less than a pixel of a camera half a metre
    /// away.
    #[serde(default = "usual_off_mm")]
    off_mm: f32,
}

fn usual_off_mm() -> f32 {
    0.5
}

pub(crate) async fn mesh(
    State(shared): State<Arc<Shared>>,
    Path(hash): Path<String>,
    query: Result<Query<MeshQuery>, QueryRejection>,
) -> Response {
    let off_m = match query {
        Ok(Query(query)) => query.off_mm / 1000.0,
        Err(error) => return plain(StatusCode::BAD_REQUEST, error.to_string()),
    };
    // What may be left out of it is found out when it is fetched for the first time.
    let made = spawn_blocking(move || shared.meshes.mesh(&hash, off_m));
    let Ok(Some(mesh)) = made.await else {
        return plain(StatusCode::NOT_FOUND, "there is no such mesh in this scene");
    };
    let mut response = bytes("application/octet-stream", mesh);
    let forever = HeaderValue::from_static(FOREVER);
    response.headers_mut().insert(CACHE_CONTROL, forever);
    response
}

pub(crate) async fn history(State(shared): State<Arc<Shared>>) -> Response {
    let shots = shared.session.history();
    let mut all = Vec::with_capacity(shots.len() * 1024);
    for shot in shots {
        all.extend(shot.to_bytes());
    }
    bytes("application/octet-stream", all)
}

/// Which picture.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PictureQuery {
    /// Simulated time, s; now if left out.
    at: Option<f64>,
    /// Pixels; as the camera has them if left out.
    width: Option<u32>,
}

pub(crate) async fn camera(
    State(shared): State<Arc<Shared>>,
    Path(name): Path<String>,
    query: Result<Query<PictureQuery>, QueryRejection>,
) -> Response {
    let query = match query {
        Ok(Query(query)) => query,
        Err(error) => return plain(StatusCode::BAD_REQUEST, error.to_string()),
    };
    // One picture at a time: the robot needs the processor, too.
    let Ok(Ok(permit)) = timeout(PATIENCE, Arc::clone(&shared.easel).acquire_owned()).await else {
        return plain(StatusCode::SERVICE_UNAVAILABLE, "too many pictures at once");
    };
    let drawn = spawn_blocking(move || {
        let _permit = permit;
        let picture = shared.session.picture(&name, query.width, query.at);
        let picture = picture.map_err(|refusal| refusal.message)?;
        let size = picture.view.intrinsics;
        png_bytes(size.width, size.height, &picture.rgb).map_err(|error| error.to_string())
    });
    match drawn.await {
        Ok(Ok(png)) => bytes("image/png", png),
        Ok(Err(message)) => plain(StatusCode::BAD_REQUEST, message),
        Err(_) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            "the picture was not drawn",
        ),
    }
}

pub(crate) async fn run(State(shared): State<Arc<Shared>>, Path(n): Path<u64>) -> Response {
    let Some(folder) = shared.session.run_folder(n) else {
        return plain(StatusCode::NOT_FOUND, format!("run {n} is not kept"));
    };
    let name = folder
        .file_name()
        .map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_else(|| format!("run{n}"));
    match spawn_blocking(move || pack(&folder)).await {
        Ok(Ok(zip)) => {
            let response = bytes("application/zip", zip);
            attached(response, &format!("{name}.zip"))
        }
        Ok(Err(error)) => plain(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("the run cannot be packed: {error}"),
        ),
        Err(_) => plain(StatusCode::INTERNAL_SERVER_ERROR, "the run was not packed"),
    }
}

/// A file for the browser's folder of downloads.
pub(crate) fn attached(mut response: Response, name: &str) -> Response {
    let disposition = format!("attachment; filename=\"{name}\"");
    if let Ok(disposition) = HeaderValue::from_str(&disposition) {
        let headers = response.headers_mut();
        headers.insert(CONTENT_DISPOSITION, disposition);
    }
    response
}

pub(crate) async fn status(State(shared): State<Arc<Shared>>) -> Response {
    let digest = shared.session.digest().await;
    Json(json!({
        "status": shared.session.status(),
        "digest": digest.map(|digest| format!("{digest:016x}")),
    }))
    .into_response()
}
