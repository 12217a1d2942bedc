//! LIBERO's assets, if available: bounds and masses against MuJoCo.

use std::path::{Path, PathBuf};

use regrasp_api::{Aabb, JointKind, Pose, Shape};
use regrasp_mjcf::{Fate, Model, Options, Pieces, object, read, scene};
use regrasp_testkit::{near, rows};

/// Each row: class, number of boxes, mass in MuJoCo in grams, and bounds of the collision geoms in
/// metres, rounded to about a millimetre.
const MOVABLE: &str = "
stable_scanned_objects/akita_black_bowl             | 40 | 5.59  | -0.054 -0.054 0.002 0.053 0.053 0.052
stable_scanned_objects/plate                        | 10 | 11.5  | -0.068 -0.068 -0.003 0.070 0.069 0.016
stable_scanned_objects/basket                       |  5 | 136.0 | -0.084 -0.079 0.004 0.085 0.079 0.146
stable_scanned_objects/glazed_rim_porcelain_ramekin | 25 | 9.66  | -0.045 -0.044 0.001 0.045 0.045 0.043
stable_scanned_objects/chefmate_8_frypan            | 25 | 50.2  | -0.097 -0.103 0.001 0.259 0.101 0.059
stable_hope_objects/alphabet_soup                   | 21 | 25.9  | -0.031 -0.039 -0.035 0.031 0.038 0.028
stable_hope_objects/tomato_sauce                    | 24 | 26.6  | -0.031 -0.039 -0.034 0.031 0.038 0.028
stable_hope_objects/ketchup                         | 12 | 23.2  | -0.028 -0.072 -0.018 0.029 0.073 0.019
stable_hope_objects/salad_dressing                  | 15 | 21.8  | -0.027 -0.073 -0.018 0.025 0.073 0.018
stable_hope_objects/milk                            |  4 | 31.7  | -0.027 -0.070 -0.026 0.027 0.061 0.026
stable_hope_objects/orange_juice                    |  4 | 31.7  | -0.027 -0.070 -0.026 0.027 0.061 0.026
stable_hope_objects/bbq_sauce                       |  3 | 12.2  | -0.024 -0.015 -0.055 0.024 0.015 0.053
stable_hope_objects/butter                          |  1 | 5.25  | -0.038 -0.020 -0.009 0.038 0.020 0.009
stable_hope_objects/cream_cheese                    |  1 | 6.19  | -0.041 -0.021 -0.009 0.041 0.021 0.009
stable_hope_objects/chocolate_pudding               |  1 | 10.2  | -0.041 -0.023 -0.013 0.040 0.023 0.014
stable_hope_objects/cookies                         |  1 | 9.64  | -0.031 -0.041 -0.009 0.031 0.041 0.009
turbosquid_objects/moka_pot                         | 15 | 68.2  | -0.041 -0.056 -0.066 0.041 0.091 0.086
turbosquid_objects/wine_bottle                      | 21 | 15.4  | -0.021 -0.022 0.001 0.022 0.022 0.158
turbosquid_objects/porcelain_mug                    | 22 | 16.5  | -0.065 -0.049 0.002 0.060 0.047 0.109
turbosquid_objects/white_yellow_mug                 | 39 | 30.9  | -0.071 -0.053 0.000 0.068 0.053 0.103
turbosquid_objects/black_book                       |  1 | 42.5  | -0.015 -0.067 0.002 0.014 0.043 0.137
";

/// Returns `folder/name/name.xml` if it exists, or else `folder/name.xml`.
fn path_of(assets: &Path, name: &str) -> PathBuf {
    let last = Path::new(name).file_name().unwrap();
    let inside = assets.join(name).join(last).with_extension("xml");
    match inside.is_file() {
        true => inside,
        false => assets.join(name).with_extension("xml"),
    }
}

fn loaded(assets: &Path, name: &str, free: bool) -> (Model, Pieces) {
    let model = read(path_of(assets, name)).unwrap();
    let options = Options {
        instance: Some("it_1".to_owned()),
        free: Some(free),
        inertia_groups: Some([0, 0]),
    };
    let pieces = object(&model, model.world.find("object").unwrap(), &options).unwrap();
    (model, pieces)
}

#[track_caller]
fn check_bounds(name: &str, found: &Aabb, expected: [f64; 6]) {
    let found: Vec<f64> = found.min.into_iter().chain(found.max).collect();
    let mut pairs = found.iter().zip(expected);
    let is_near = pairs.all(|(a, b)| (a - b).abs() <= 0.0011);
    assert!(is_near, "{name}: {found:.4?} instead of {expected:?}");
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn movable_objects_have_the_bounds_and_masses_that_mujoco_measures() {
    let assets = crate::common::libero();
    for [name, n_boxes, grams, bounds] in rows(MOVABLE) {
        let grams: f64 = grams.parse().unwrap();
        let bounds = bounds.split(' ').map(|x| x.parse::<f64>().unwrap());
        let bounds: [f64; 6] = bounds.collect::<Vec<_>>().try_into().unwrap();
        let (_, pieces) = loaded(&assets, &name, true);
        let [it] = pieces.objects.as_slice() else {
            panic!("{name} must be one object");
        };
        check_bounds(&name, &it.shape.aabb(&Pose::identity()), bounds);
        let n_parts = match &it.shape {
            Shape::Compound { parts } => parts.len(),
            _ => 1,
        };
        assert_eq!(n_parts.to_string(), n_boxes, "{name}");
        let found = 1000.0 * it.mass_kg.unwrap();
        // The expected mass has three digits.
        let off = (found / grams - 1.0).abs();
        assert!(off < 0.005, "{name}: {found} g instead of {grams}");
        assert!(it.inertial.is_some() && it.friction == 0.95, "{name}");
        let has_image = it.visuals.iter().any(|v| v.texture.is_some());
        assert!(has_image, "{name} must have an image");
    }
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn the_red_mug_has_the_bounds_that_mujoco_measures() {
    let assets = crate::common::libero();
    let (_, pieces) = loaded(&assets, "turbosquid_objects/red_coffee_mug", true);
    let bounds = pieces.objects[0].shape.aabb(&Pose::identity());
    let wanted = [-0.061, -0.047, -0.002, 0.062, 0.046, 0.131];
    check_bounds("red mug", &bounds, wanted);
    assert!((pieces.objects[0].mass_kg.unwrap() - 0.0294).abs() < 1e-4);
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn cabinets_have_three_drawers_on_slides() {
    let assets = crate::common::libero();
    for name in [
        "articulated_objects/wooden_cabinet",
        "articulated_objects/white_cabinet",
    ] {
        let (_, pieces) = loaded(&assets, name, false);
        assert_eq!(pieces.objects.len(), 4, "{name}");
        let shell = &pieces.objects[0];
        assert_eq!(shell.mass_kg, None);
        let bounds = shell.shape.aabb(&Pose::identity());
        check_bounds(name, &bounds, [-0.123, -0.079, 0.005, 0.131, 0.112, 0.223]);
        for (joint, level) in pieces.joints.iter().zip(["top", "middle", "bottom"]) {
            assert_eq!(joint.id.as_str(), format!("it_1_{level}_level"));
            assert_eq!(joint.kind, JointKind::Prismatic);
            assert_eq!(joint.axis_in_parent, [0.0, 1.0, 0.0]);
            assert_eq!((joint.lower, joint.upper), (-0.16, 0.01));
            assert_eq!((joint.damping, joint.friction), (50.0, 0.0));
        }
        let drawers = &pieces.objects[1..];
        for drawer in drawers {
            assert_eq!(drawer.mass_kg, Some(3.0));
            let inertia = drawer.inertial.unwrap();
            assert_eq!(inertia.mass_center, [0.0; 3]);
            assert_eq!(inertia.inertia[1], [0.0, 1.0, 0.0]);
        }
        let zone = &drawers[0].zones[0];
        assert_eq!(zone.name, "top_region");
        // Half extents along the axes of the zone, which are rotated.
        let expected = [0.0299, 0.0756, 0.1022];
        let mut pairs = zone.half_extents.iter().zip(expected);
        let is_near = pairs.all(|(a, b)| (a - b).abs() < 1e-4);
        assert!(is_near, "{zone:?}");
    }
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn a_stove_has_a_knob_and_a_microwave_a_door() {
    let assets = crate::common::libero();
    let (_, stove) = loaded(&assets, "articulated_objects/flat_stove", false);
    let knob = &stove.joints[0];
    assert_eq!(knob.kind, JointKind::Revolute);
    assert_eq!((knob.lower, knob.upper), (-0.005, 2.1));
    assert_eq!(stove.objects[1].mass_kg, Some(3.0));
    let names: Vec<_> = stove.sites.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["cook_region", "burner"]);
    // The plate is both solid and drawn.
    assert!(stove.objects[0].visuals.len() >= 2);
    let (_, microwave) = loaded(&assets, "articulated_objects/microwave", false);
    let door = &microwave.joints[0];
    assert_eq!((door.lower, door.upper, door.damping), (-2.094, 0.0, 0.5));
    let at = microwave.objects[1].world_from_object.translation.vector;
    assert_eq!([at.x, at.y, at.z], [-0.1725, -0.088, 0.096]);
    assert!((microwave.objects[1].mass_kg.unwrap() - 0.26).abs() < 1e-12);
    let objects = microwave.objects.iter();
    let bounds = objects.map(|o| o.shape.aabb(&o.world_from_object));
    let size = Aabb::around(bounds.flat_map(|b| [b.min, b.max])).size();
    near("width, m", size[0], 0.345, 1e-3);
    near("height, m", size[2], 0.187, 3e-3);
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn the_rack_and_the_caddy_have_their_places() {
    let assets = crate::common::libero();
    let (_, rack) = loaded(&assets, "turbosquid_objects/wine_rack", false);
    let bounds = rack.objects[0].shape.aabb(&Pose::identity());
    let wanted = [-0.134, -0.124, -0.002, 0.134, 0.130, 0.328];
    check_bounds("rack", &bounds, wanted);
    let site = rack.sites.iter().find(|s| s.name == "top_region").unwrap();
    let (_, angle) = site.object_from_site.rotation.axis_angle().unwrap();
    assert!((angle.to_degrees() - 62.5).abs() < 0.1, "{angle}");
    let (_, caddy) = loaded(&assets, "turbosquid_objects/desk_caddy", false);
    let bounds = caddy.objects[0].shape.aabb(&Pose::identity());
    let wanted = [-0.0755, -0.217, 0.001, 0.0755, 0.217, 0.168];
    check_bounds("caddy", &bounds, wanted);
    assert_eq!(caddy.objects[0].zones.len(), 4);
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn every_file_is_read_and_nothing_of_it_is_unsupported_but_what_is_known() {
    let assets = crate::common::libero();
    let (mut left, mut n_files) = (vec![assets.clone()], 0);
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()));
            continue;
        }
        if path.extension().is_none_or(|e| e != "xml") {
            continue;
        }
        n_files += 1;
        let model = read(&path).unwrap();
        let name = path.display();
        let unsupported: Vec<_> = model.ledger.entries(Fate::Unsupported).collect();
        assert!(unsupported.is_empty(), "{name}: {unsupported:?}");
        assert!(model.ledger.count(Fate::Read) > 5, "{name}");
        scene(&model, &Options::default()).unwrap();
    }
    assert!(n_files >= 33, "{n_files} files");
}
