//! `regrasp calibrate`: files of observations, and the files of cameras that are written.

use regrasp_testkit::says;
use serde_json::{Value, json};

use crate::Shell;

/// Exact observations of a point on the hand by a camera 1 m above (0.5, 0), looking down.
fn seen(turns: &[[f64; 3]]) -> Value {
    let entry = |(i, [x, y, z]): (usize, &[f64; 3])| {
        let norm = (1.0 + x * x + y * y + z * z).sqrt();
        let at = [0.4 + 0.05 * i as f64, 0.1 * (i % 3) as f64 - 0.1, 0.3];
        let q = [x / norm, y / norm, z / norm, 1.0 / norm];
        // The point is at (0, 0, 0.05) in the hand's frame.
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
    let shell = Shell::new();
    let turns = [
        [0.0, 0.0, 0.0],
        [0.2, 0.0, 0.1],
        [0.0, 0.25, 0.0],
        [-0.2, 0.1, 0.0],
        [0.1, -0.2, 0.2],
        [0.2, 0.2, -0.1],
    ];
    shell.write("seen.json", seen(&turns).to_string());
    let words = "position [0.5000; 1.0000] m; over 6 of 6 poses; standard deviation";
    shell.check("calibrate seen.json --out top.yaml", 0, words);
    says(&shell.read("top.yaml"), &["base_from_camera:"]);

    shell.write("alike.json", seen(&[[0.0; 3]; 6]).to_string());
    let words = "alike.json; about a second axis; turn it about two axes";
    shell.check("calibrate alike.json --out alike.yaml", 12, words);
    assert!(!shell.has("alike.yaml"));

    shell.write("typo.json", "{\"camra\": 1}");
    shell.check("calibrate typo.json --out x.yaml", 12, "typo.json; camra");
    for of in ["percepts", "cameras", "seen"] {
        shell.check(&format!("schema {of}"), 0, "\"$schema\"");
    }
}
