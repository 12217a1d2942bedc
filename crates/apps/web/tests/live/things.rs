//! HTTP resources: the scene, the history, pictures, runs.

use std::io::{Cursor, Read};

use regrasp_session::Shot;
use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::common::{get, live, met, run};

#[tokio::test]
async fn the_scene_can_be_drawn_from_what_is_fetched() {
    let live = live("covered", 0.0).await;
    let (status, _, body) = get(live.address, "/api/scene", &[]).await;
    assert_eq!(status, 200);
    let scene: Value = serde_json::from_slice(&body).expect("the scene is JSON");
    let nodes = scene["nodes"].as_array().expect("the scene has nodes");
    let names: Vec<_> = nodes.iter().filter_map(|n| n["name"].as_str()).collect();
    for name in ["red_cube", "panda_hand"] {
        assert!(names.contains(&name), "{names:?}");
    }
    let movable = nodes.iter().filter(|n| n["movable"] == true);
    let movable: Vec<_> = movable.filter_map(|n| n["name"].as_str()).collect();
    assert_eq!(movable, ["red_cube", "blue_cube"]);
    let mut n_triangles = [0; 2];
    let parts = nodes.iter().filter_map(|n| n["parts"].as_array()).flatten();
    for (part, fineness) in parts.flat_map(|part| [(part, 0), (part, 1)]) {
        let hash = part["mesh"].as_str().unwrap_or_default();
        let path = format!("/api/mesh/{hash}{}", ["", "?off_mm=3"][fineness]);
        let (status, head, mesh) = get(live.address, &path, &[]).await;
        assert_eq!(status, 200, "{path}: {head}");
        says(&head, &["immutable"]);
        let number = |at: usize| {
            let bytes = mesh[at..at + 4].try_into().expect("four bytes");
            u32::from_le_bytes(bytes) as usize
        };
        let (corners, triangles) = (number(0), number(4));
        assert_eq!(mesh.len(), 8 + 24 * corners + 12 * triangles, "{path}");
        let first = 8 + 24 * corners;
        let indices = (0..3 * triangles).map(|i| number(first + 4 * i));
        assert!(indices.max() < Some(corners), "{path}");
        n_triangles[fineness] += triangles;
    }
    let [usual, coarse] = n_triangles;
    assert!(coarse > 1000 && usual >= coarse, "{n_triangles:?}");
    for (path, status) in [
        ("/api/mesh/0123456789abcdef", 404),
        ("/api/mesh/0123456789abcdef?off_mm=very", 400),
    ] {
        assert_eq!(get(live.address, path, &[]).await.0, status, "{path}");
    }
    // Positions fit the nodes.
    let mut client = live.connect().await;
    let close = json!({"do": "gripper", "open": false});
    client.carry_out(close).await;
    assert_eq!(client.shot.len(), Shot::bytes_for(nodes.len()));
    let (_, _, history) = get(live.address, "/api/history", &[]).await;
    assert!(history.len() > 2 * client.shot.len());
    assert_eq!(history.len() % client.shot.len(), 0);
}

#[tokio::test]
async fn cameras_show_the_present_and_the_past() {
    let (live, mut client) = met("covered", 0.0).await;
    let (status, head, first) = get(live.address, "/api/camera/scene?width=64", &[]).await;
    assert!(status == 200 && head.contains("image/png"), "{head}");
    assert!(first.starts_with(b"\x89PNG"));
    let put = json!({"do": "move", "object": "blue_cube", "xy": [0.5, 0.0]});
    client.order(put).await;
    live.digest().await;
    let (_, _, now) = get(live.address, "/api/camera/scene?width=64", &[]).await;
    assert_ne!(now, first, "the cube was moved");
    let (_, _, past) = get(live.address, "/api/camera/scene?width=64&at=0", &[]).await;
    assert_eq!(past, first, "the picture of the past has changed");
    for path in [
        "/api/camera/nose",
        "/api/camera/scene?width=100000",
        "/api/camera/scene?width=wide",
        "/api/camera/scene?high=3",
    ] {
        let (status, _, body) = get(live.address, path, &[]).await;
        assert_eq!(status, 400, "{path}: {}", String::from_utf8_lossy(&body));
    }
}

#[tokio::test]
async fn a_run_is_downloaded_whole() {
    let (live, mut client) = met("covered", 0.0).await;
    assert_eq!(get(live.address, "/api/run/1", &[]).await.0, 404);
    let ended = client.succeeds(run("put the red cube on the plate")).await;
    let (status, head, zip) = get(live.address, "/api/run/1", &[]).await;
    assert!(status == 200 && head.contains("attachment"), "{head}");
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).expect("the answer is a zip file");
    let names: Vec<_> = archive.file_names().filter_map(Result::ok).collect();
    let names: Vec<_> = names.into_iter().map(|name| name.into_owned()).collect();
    let recording = names.iter().find(|name| name.ends_with("/recording.mcap"));
    assert!(recording.is_some(), "there is no recording: {names:?}");
    let mut text = |end: &str| {
        let name = names.iter().find(|name| name.ends_with(end));
        let mut file = archive
            .by_name(name.expect("the file is there"))
            .expect("the file can be read");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("the file is text");
        text
    };
    let result: Value = serde_json::from_str(&text("/result.json")).expect("the result is JSON");
    assert_eq!(result["state_digest"], ended["result"]["state_digest"]);
    let events = text("/events.jsonl");
    assert!(events.contains("object_covered") && events.contains("episode_finished"));
}
