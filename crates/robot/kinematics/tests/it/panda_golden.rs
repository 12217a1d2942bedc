//! Comparison of our Panda with Pinocchio on Franka's own URDF.
//!
//! See `tests/data/make_panda_fk_golden.py` for the origin of the data.

use std::{fs, path::Path};

use nalgebra::{Isometry3, Quaternion, UnitQuaternion};
use regrasp_kinematics::{MeshSearch, RobotModel};
use serde::Deserialize;

#[derive(Deserialize)]
struct Golden {
    made_with: String,
    urdf: String,
    configurations: Vec<Configuration>,
}

#[derive(Deserialize)]
struct Configuration {
    q: [f64; 7],
    base_from_flange: [f64; 7],
    base_from_hand: [f64; 7],
}

fn pose([x, y, z, qx, qy, qz, qw]: [f64; 7]) -> Isometry3<f64> {
    let rotation = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
    Isometry3::from_parts([x, y, z].into(), rotation)
}

#[test]
fn forward_kinematics_agree_with_pinocchio_on_the_official_model() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(folder.join("tests/data/panda_fk_golden.json")).unwrap();
    let golden: Golden = serde_json::from_str(&text).unwrap();
    assert_eq!(golden.configurations.len(), 1000);
    assert!(golden.made_with.starts_with("pinocchio") && !golden.urdf.is_empty());

    let urdf = regrasp_assets::folder().join("robots/panda/panda.urdf");
    let model = RobotModel::load(urdf, &MeshSearch::default()).unwrap();
    let flange = model.chain("panda_link0", "panda_link8").unwrap();
    let hand = model.chain("panda_link0", "panda_hand").unwrap();
    let tool = model.chain("panda_link0", "panda_tool").unwrap();
    let hand_from_tool = Isometry3::translation(0.0, 0.0, 0.1034);
    for configuration in &golden.configurations {
        let base_from_hand = pose(configuration.base_from_hand);
        for (chain, expected) in [
            (&flange, pose(configuration.base_from_flange)),
            (&hand, base_from_hand),
            (&tool, base_from_hand * hand_from_tool),
        ] {
            let error = chain.forward(&configuration.q).inverse() * expected;
            let pos_err_m = error.translation.vector.norm();
            let rot_err_rad = 2.0 * error.rotation.imag().norm().asin();
            let (tip, q) = (chain.tip_link(), &configuration.q);
            let is_there = pos_err_m < 1e-9 && rot_err_rad < 1e-9;
            assert!(is_there, "{tip}: {pos_err_m} m, {rot_err_rad} rad at {q:?}");
        }
    }
}
