//! Tests of calibration from noisy poses.

use nalgebra::{Translation3, UnitQuaternion, Vector3};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use regrasp_api::{Pose, looking_at};
use regrasp_external_perception::{
    Calibration, Mounting, Placement, SightingEntry, SightingsFile, calibrate,
};

struct Bench {
    rng: ChaCha8Rng,
    mounting: Mounting,
    /// base_from_camera, or tool_from_camera.
    x: Pose,
    /// tool_from_marker, or base_from_marker.
    y: Pose,
    std_m: f64,
    std_rad: f64,
}

impl Bench {
    fn new(mounting: Mounting, seed: u64) -> Self {
        let (x, y) = match mounting {
            Mounting::EyeToHand => {
                let (from, to) = (Vector3::new(1.2, -0.5, 0.8), Vector3::new(0.45, 0.0, 0.2));
                let x = looking_at(&from, &to, &Vector3::z()).unwrap();
                let turn = Vector3::new(0.3, -0.2, 1.0);
                (x, Pose::new(Vector3::new(0.02, -0.04, 0.05), turn))
            }
            Mounting::EyeInHand => {
                let turn = Vector3::new(0.1, -0.3, 0.6);
                let x = Pose::new(Vector3::new(0.06, 0.01, -0.08), turn);
                let turn = Vector3::new(0.0, 0.1, 0.4);
                (x, Pose::new(Vector3::new(0.5, 0.1, 0.0), turn))
            }
        };
        Self {
            rng: ChaCha8Rng::seed_from_u64(seed),
            mounting,
            x,
            y,
            std_m: 0.001,
            std_rad: 0.005,
        }
    }

    fn normal3(&mut self, std: f64) -> Vector3<f64> {
        Vector3::from_fn(|_, _| self.rng.sample::<f64, _>(StandardNormal) * std)
    }

    /// A random pose of the hand over the table, turned by up to 0.5 rad about each of these axes.
    fn base_from_tool(&mut self, axes: &[Vector3<f64>]) -> Pose {
        let mut turn = Vector3::zeros();
        for axis in axes {
            turn += axis * self.rng.random_range(-0.5..0.5);
        }
        let ranges = [0.3..0.6, -0.2..0.2, 0.2..0.5];
        let at = Vector3::from(ranges.map(|range| self.rng.random_range(range)));
        let down = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
        let turn = UnitQuaternion::from_scaled_axis(turn) * down;
        Pose::from_parts(Translation3::from(at), turn)
    }

    fn entry(&mut self, base_from_tool: Pose, is_point: bool) -> SightingEntry {
        let carrier = match self.mounting {
            Mounting::EyeToHand => base_from_tool,
            Mounting::EyeInHand => base_from_tool.inverse(),
        };
        let (at, turn) = (self.normal3(self.std_m), self.normal3(self.std_rad));
        let mut seen = self.x.inverse() * carrier * self.y;
        seen.translation.vector += at;
        seen.rotation = UnitQuaternion::from_scaled_axis(turn) * seen.rotation;
        SightingEntry {
            base_from_tool: base_from_tool.into(),
            camera_from_marker: (!is_point).then(|| seen.into()),
            point_in_camera: is_point.then(|| seen.translation.vector.into()),
        }
    }

    fn file(&mut self, n: usize, is_point: bool) -> SightingsFile {
        let axes = [Vector3::x(), Vector3::y(), Vector3::z()];
        self.file_about(&axes, n, is_point)
    }

    /// A file of sightings from a hand that turns about these axes.
    fn file_about(&mut self, axes: &[Vector3<f64>], n: usize, is_point: bool) -> SightingsFile {
        let seen = (0..n).map(|_| {
            let base_from_tool = self.base_from_tool(axes);
            self.entry(base_from_tool, is_point)
        });
        SightingsFile {
            camera: "front".into(),
            point: None,
            seen: seen.collect(),
            mounting: self.mounting,
        }
    }

    fn off(&self, found: &Calibration) -> (f64, f64) {
        let placement = found.base_from_camera.or(found.tool_from_camera).unwrap();
        let found = pose(&placement);
        let off = found.translation.vector - self.x.translation.vector;
        (off.norm(), found.rotation.angle_to(&self.x.rotation))
    }
}

fn pose(placement: &Placement) -> Pose {
    let [i, j, k, w] = placement.quat_xyzw;
    let q = nalgebra::Quaternion::new(w, i, j, k);
    Pose::from_parts(placement.position.into(), UnitQuaternion::new_normalize(q))
}

const MOUNTINGS: [Mounting; 2] = [Mounting::EyeToHand, Mounting::EyeInHand];

#[test]
fn exact_poses_and_points_give_the_exact_camera() {
    for mounting in MOUNTINGS {
        for (is_point, n) in [(false, 4), (true, 5)] {
            let mut bench = Bench::new(mounting, 1);
            (bench.std_m, bench.std_rad) = (0.0, 0.0);
            let found = calibrate(&bench.file(n, is_point)).unwrap();
            let (m, rad) = bench.off(&found);
            assert!(m < 1e-8 && rad < 1e-8, "{mounting:?}: {m} m, {rad} rad");
            assert!(found.rms_position_m < 1e-8 && found.dropped.is_empty());
        }
    }
}

/// With noise of 1 mm and 0.3 degrees per pose, 20 poses locate a camera at 1 m within 10 mm.
#[test]
#[expect(
    clippy::print_stderr,
    reason = "the documentation quotes these figures"
)]
fn noise_averages_out_and_the_figures_say_how_much() {
    for mounting in MOUNTINGS {
        for is_point in [false, true] {
            let (mut worst_m, mut worst_rad, mut n_within) = (0.0_f64, 0.0_f64, 0);
            for seed in 0..20 {
                let mut bench = Bench::new(mounting, seed);
                let found = calibrate(&bench.file(20, is_point)).unwrap();
                let (m, rad) = bench.off(&found);
                worst_m = worst_m.max(m);
                worst_rad = worst_rad.max(rad);
                n_within += usize::from(m < 3.0 * found.std_position_m);
            }
            eprintln!(
                "{mounting:?}, points {is_point}: worst of 20 {:.2} mm, {:.3} deg; within 3 std \
                 {n_within}",
                1e3 * worst_m,
                worst_rad.to_degrees()
            );
            assert!(worst_m < 0.01, "{mounting:?} {is_point}: {worst_m} m");
            assert!(worst_rad < 0.01, "{mounting:?} {is_point}: {worst_rad} rad");
            assert!(n_within >= 18, "{mounting:?} {is_point}: {n_within} of 20");
        }
    }
}

#[test]
fn wrong_poses_among_right_ones_are_named_and_left_out() {
    for is_point in [false, true] {
        let mut bench = Bench::new(Mounting::EyeToHand, 3);
        let mut file = bench.file(16, is_point);
        for idx in [2, 7, 11] {
            let entry = &mut file.seen[idx];
            if let Some(marker) = &mut entry.camera_from_marker {
                marker.position[0] += 0.15;
            }
            if let Some(point) = &mut entry.point_in_camera {
                point[2] -= 0.2;
            }
        }
        let found = calibrate(&file).unwrap();
        assert_eq!(found.dropped, [2, 7, 11]);
        let (m, rad) = bench.off(&found);
        assert!(m < 0.008 && rad < 0.01, "{m} m, {rad} rad");
    }
}

#[test]
fn a_point_whose_place_is_known_needs_no_turning() {
    let mut bench = Bench::new(Mounting::EyeToHand, 5);
    bench.std_m = 0.0;
    let mut file = bench.file_about(&[], 6, true);
    file.point = Some(bench.y.translation.vector.into());
    let (m, rad) = bench.off(&calibrate(&file).unwrap());
    assert!(m < 1e-9 && rad < 1e-9, "{m} m, {rad} rad");
    file.point = None;
    refused(&file, ONE_AXIS);
}

const ONE_AXIS: &str = "about a second axis";

#[track_caller]
fn refused(file: &SightingsFile, says: &str) {
    let error = calibrate(file).expect_err(says).to_string();
    assert!(error.contains(says), "{says} is not in: {error}");
}

#[test]
fn what_cannot_determine_the_camera_is_refused_with_what_would() {
    let mut bench = Bench::new(Mounting::EyeToHand, 2);
    let few = bench.file(3, false);
    refused(&few, "the file has 3 poses, but at least 4 are needed");

    // The hand turns about the vertical only.
    for is_point in [false, true] {
        let file = bench.file_about(&[Vector3::z()], 12, is_point);
        refused(&file, ONE_AXIS);
        refused(&file, "turn it about two axes");
    }

    // A known point that moves along a line.
    let mut file = bench.file(1, true);
    file.point = Some(bench.y.translation.vector.into());
    let at = |i: u32| Pose::translation(0.3 + 0.05 * f64::from(i), 0.0, 0.3);
    file.seen = (0..8).map(|i| bench.entry(at(i), true)).collect();
    refused(&file, "root mean square) of a line");

    // The mounting is declared wrongly.
    for is_point in [false, true] {
        let mut file = bench.file(12, is_point);
        file.mounting = Mounting::EyeInHand;
        refused(&file, "check `mounting`");
    }
}

#[test]
fn wrong_fields_are_named() {
    let mut bench = Bench::new(Mounting::EyeInHand, 2);
    let whole = bench.file(6, false);
    let mut file = whole.clone();
    file.seen[3].camera_from_marker = None;
    file.seen[3].point_in_camera = Some([0.0; 3]);
    refused(&file, "seen[3].camera_from_marker");
    file.seen[3].point_in_camera = None;
    refused(&file, "seen[3].camera_from_marker: expected this field or");

    let mut file = whole.clone();
    file.seen[4].base_from_tool.quat_xyzw = [0.0; 4];
    refused(&file, "seen[4].base_from_tool.quat_xyzw");

    let mut file = whole;
    file.point = Some([0.0; 3]);
    refused(&file, "point:");
}
