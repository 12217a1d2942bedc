//! `regrasp calibrate`: files in, files out.

use std::fs;

use serde_json::{Value, json};

use crate::check;

/// A camera that looks straight down from 1 m above (0.5, 0), and a point in the hand, exactly seen.
fn seen(turns: &[[f64; 3]]) -> Value {
    let entry = |(i, [x, y, z]): (usize, &[f64; 3])| {
        let norm = (1.0 + x * x + y * y + z * z).sqrt();
        let at = [0.4 + 0.05 * i as f64, 0.1 * (i % 3) as f64 - 0.1, 0.3];
        let q = [x / norm, y / norm, z / norm, 1.0 / norm];
        // The point sits at (0, 0, 0.05) in the hand.
        let (qx, qy, qz, qw) = (q[0], q[1], q[2], q[3]);
        let third = [
            2.0 * (qx * qz + qy * qw),
            2.0 * (qy * qz - qx * qw),
            1.0 - 2.0 * (qx * qx + qy * qy),
        ];
        let p = [0, 1, 2].map(|k| at[k] + 0.05 * third[k]);
        json!({
            "base_from_tool": {"position": at, "quat_xyzw": q},
            "point_in_camera": [p[0] - 0.5, -p[1], 1.0 - p[2]],
        })
    };
    let seen: Vec<Value> = turns.iter().enumerate().map(entry).collect();
    json!({ "camera": "top", "mounting": "eye_to_hand", "seen": seen })
}

#[test]
fn a_camera_is_located_and_written_and_what_cannot_locate_it_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path();
    let turns = [
        [0.0, 0.0, 0.0],
        [0.2, 0.0, 0.1],
        [0.0, 0.25, 0.0],
        [-0.2, 0.1, 0.0],
        [0.1, -0.2, 0.2],
        [0.2, 0.2, -0.1],
    ];
    fs::write(path.join("seen.json"), seen(&turns).to_string()).unwrap();
    let words = ["calibrate", "seen.json", "--out", "top.yaml"];
    let said = [
        "position [0.5000",
        "1.0000] m",
        "over 6 of 6 poses",
        "standard deviation",
    ];
    check(path, &words, 0, &said);
    let written = fs::read_to_string(path.join("top.yaml")).unwrap();
    assert!(written.contains("base_from_camera:"), "{written}");

    fs::write(path.join("alike.json"), seen(&[[0.0; 3]; 6]).to_string()).unwrap();
    let words = ["calibrate", "alike.json", "--out", "alike.yaml"];
    check(
        path,
        &words,
        12,
        &[
            "alike.json",
            "about a second axis",
            "turn it about two axes",
        ],
    );
    assert!(!path.join("alike.yaml").exists());

    fs::write(path.join("typo.json"), "{\"camra\": 1}").unwrap();
    check(
        path,
        &["calibrate", "typo.json", "--out", "x.yaml"],
        12,
        &["typo.json", "camra"],
    );
    for of in ["percepts", "cameras", "seen"] {
        check(path, &["schema", of], 0, &["\"$schema\""]);
    }
}
