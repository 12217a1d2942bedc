//! Client for the objects in the third-party simulator of a Franka that `scripts/franka.sh` starts.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::thread;
use std::time::Duration;

use nalgebra::{Quaternion, Translation3, UnitQuaternion, Vector3};
use regrasp::api::Pose;
use serde_json::{Value, json};

const POSE_PORT: u16 = 1339;

/// Name, half edge length and initial position on the table of each cube, m.
pub(crate) const CUBES: [(&str, f64, [f64; 2]); 2] = [
    ("red_cube", 0.02, [0.45, -0.12]),
    ("green_cube", 0.025, [0.45, 0.15]),
];

/// Host of the simulator, which `scripts/franka.sh` names in `REGRASP_FRANKA`.
pub(crate) fn host() -> String {
    std::env::var("REGRASP_FRANKA").expect("REGRASP_FRANKA must be the host of the simulator")
}

/// Client that reads and sets poses of objects in the simulator.
pub(crate) struct Objects(BufReader<TcpStream>);

impl Objects {
    pub(crate) fn connect(host: &str) -> Self {
        let stream = TcpStream::connect((host, POSE_PORT)).unwrap();
        Self(BufReader::new(stream))
    }

    pub(crate) fn order(&mut self, order: &Value) -> Option<Value> {
        writeln!(self.0.get_mut(), "{order}").ok()?;
        let mut line = String::new();
        self.0.read_line(&mut line).ok()?;
        serde_json::from_str(&line).ok()
    }

    /// Sets the pose of an object: x, y and z in m, and yaw in rad.
    pub(crate) fn put(&mut self, name: &str, place: [f64; 4]) {
        self.order(&json!({ "put": { name: place } })).unwrap();
    }

    /// Puts the cubes at their initial positions and waits until they are at rest.
    pub(crate) fn put_cubes(&mut self) {
        for (name, half_m, [x, y]) in CUBES {
            self.put(name, [x, y, half_m, 0.0]);
        }
        thread::sleep(Duration::from_millis(500));
    }

    pub(crate) fn pose(&mut self, name: &str) -> Pose {
        let said = self.order(&json!({})).unwrap();
        let object = &said["objects"][name];
        let number = |key: &str, i: usize| object[key][i].as_f64().unwrap();
        let [x, y, z] = [0, 1, 2].map(|i| number("position", i));
        let [i, j, k, w] = [0, 1, 2, 3].map(|i| number("quat_xyzw", i));
        let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, i, j, k));
        Pose::from_parts(Translation3::new(x, y, z), turn)
    }

    /// Horizontal and vertical distance between the red and the green cube, m.
    pub(crate) fn red_over_green(&mut self) -> (f64, f64) {
        let below: Vector3<f64> = self.pose("green_cube").translation.vector;
        let off = self.pose("red_cube").translation.vector - below;
        (off.xy().norm(), off.z)
    }
}

/// Returns true if the red cube is on the green one.
pub(crate) fn is_stacked((beside_m, above_m): (f64, f64)) -> bool {
    beside_m < 0.02 && (above_m - 0.045).abs() < 0.005
}
