//! Compares small models with MuJoCo's compiled values: see `scripts/mujoco_figures.py`.

use nalgebra::{Matrix3, Quaternion, UnitQuaternion, Vector3};
use regrasp_api::{ObjectId, Shape};
use regrasp_mjcf::{GeomForm, Options, read, scene};
use serde_json::Value;

use crate::common::{again, of_text};

const FIGURES: &str = include_str!("../data/mujoco.json");

fn numbers(value: &Value) -> Vec<f64> {
    let list = value.as_array().unwrap().iter();
    list.map(|x| x.as_f64().unwrap()).collect()
}

#[track_caller]
fn assert_near(what: &str, found: &[f64], wanted: &[f64]) {
    let most = wanted.iter().fold(1e-6f64, |most, x| most.max(x.abs()));
    let mut pairs = found.iter().zip(wanted);
    let is_near = pairs.all(|(a, b)| (a - b).abs() < 1e-4 * most) && found.len() == wanted.len();
    assert!(is_near, "{what}: {found:?} instead of MuJoCo's {wanted:?}");
}

/// Kind of a form, and those of MuJoCo's three sizes that it uses.
fn size_of(form: &GeomForm) -> (&'static str, Vec<f64>) {
    match form {
        GeomForm::Solid(Shape::Sphere { radius }) => ("sphere", vec![*radius]),
        GeomForm::Solid(Shape::Capsule(rod)) => ("capsule", vec![rod.radius, rod.half_height]),
        GeomForm::Solid(Shape::Cylinder(rod)) => ("cylinder", vec![rod.radius, rod.half_height]),
        GeomForm::Solid(Shape::Box { half_extents }) => ("box", half_extents.to_vec()),
        GeomForm::Solid(shape) => panic!("a geom cannot be a {shape:?}"),
        GeomForm::Ellipsoid { radii } => ("ellipsoid", radii.to_vec()),
        GeomForm::Plane { half } => ("plane", half.to_vec()),
        GeomForm::Mesh(_) => ("mesh", vec![]),
    }
}

#[test]
fn sizes_masses_and_places_are_those_of_mujoco() {
    let figures: Value = serde_json::from_str(FIGURES).unwrap();
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in figures["files"].as_object().unwrap() {
        std::fs::write(folder.path().join(name), text.as_str().unwrap()).unwrap();
    }
    let file = folder.path().join("model.xml");
    let cases = figures["cases"].as_array().unwrap();
    assert!(cases.len() > 120, "{} cases", cases.len());
    for case in cases {
        let name = case["name"].as_str().unwrap();
        std::fs::write(&file, case["xml"].as_str().unwrap()).unwrap();
        let model = read(&file);
        let Some(bodies) = case["bodies"].as_array() else {
            assert!(model.is_err(), "{name} was read, but MuJoCo rejects it");
            continue;
        };
        let model = model.unwrap_or_else(|e| panic!("{name}: {e}"));
        let pieces = scene(&model, &Options::default()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(pieces.objects.len(), bodies.len(), "{name}");
        for wanted in bodies {
            let body = wanted["name"].as_str().unwrap();
            let what = |part: &str| format!("{name}: {part} of {body}");
            let check = |part: &str, found: &[f64], key: &str| {
                assert_near(&what(part), found, &numbers(&wanted[key]));
            };
            let object = pieces.objects.iter().find(|o| o.id.as_str() == body);
            let object = object.unwrap_or_else(|| panic!("{name}: there is no `{body}`"));
            let place = object.world_from_object;
            check("place", place.translation.vector.as_slice(), "pos");
            let [w, x, y, z] = numbers(&wanted["quat"])[..] else {
                panic!("{name}")
            };
            let turn = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
            assert!(place.rotation.angle_to(&turn) < 1e-6, "{}", what("turn"));
            let mass_kg = [wanted["mass"].as_f64().unwrap()];
            assert_near(&what("mass"), &[object.mass_kg.unwrap()], &mass_kg);
            let inertial = object.inertial.as_ref().unwrap();
            check("centre", &inertial.mass_center, "center");
            let rows = inertial.inertia.map(|row| Vector3::from(row).transpose());
            let mut moments = Matrix3::from_rows(&rows).symmetric_eigenvalues();
            moments.as_mut_slice().sort_by(f64::total_cmp);
            check("moments", moments.as_slice(), "moments");
            let geom = &model.world.find(body).unwrap().geoms[0];
            let (kind, size) = size_of(&geom.form);
            assert_eq!(kind, wanted["kind"].as_str().unwrap(), "{name}");
            let wanted = &numbers(&wanted["size"])[..size.len()];
            assert_near(&what("size"), &size, wanted);
        }
    }
}

#[test]
fn bodies_on_several_joints_move_as_those_of_mujoco() {
    let figures: Value = serde_json::from_str(FIGURES).unwrap();
    for case in figures["chains"].as_array().unwrap() {
        let name = case["name"].as_str().unwrap();
        let model = of_text(case["xml"].as_str().unwrap()).unwrap();
        let mut pieces = scene(&model, &Options::default()).unwrap();
        assert!(pieces.not_kept.is_empty(), "{name}: {:?}", pieces.not_kept);
        let at = numbers(&case["at"]);
        assert_eq!(pieces.joints.len(), at.len(), "{name}");
        for (i, position) in at.into_iter().enumerate() {
            assert!(pieces.start_at(&ObjectId::new(format!("j{i}")), position));
        }
        let site = &pieces.sites[0];
        let object = pieces.objects.iter().find(|o| o.id == site.object);
        let found = object.unwrap().world_from_object * site.object_from_site;
        let wanted = numbers(&case["pos"]);
        assert_near(name, found.translation.vector.as_slice(), &wanted);
        let (again, _) = again(&pieces, "chain");
        for (written, made) in again.objects.iter().zip(&pieces.objects) {
            let [a, b] = [written, made].map(|o| o.world_from_object.to_homogeneous());
            assert_near(name, a.as_slice(), b.as_slice());
        }
    }
}

#[test]
fn joints_have_the_limits_that_mujoco_gives_them() {
    let figures: Value = serde_json::from_str(FIGURES).unwrap();
    let cases = figures["ranges"].as_array().unwrap();
    assert!(cases.len() > 100, "{} cases", cases.len());
    for case in cases {
        let text = case["xml"].as_str().unwrap();
        let model = of_text(text);
        let Some(wanted) = case["range"].as_array() else {
            let message = model.err().map_or(String::new(), |e| e.to_string());
            assert!(message.contains("`range`"), "{text}: {message}");
            continue;
        };
        let model = model.unwrap_or_else(|e| panic!("{text}: {e}"));
        let range = model.world.find("it").unwrap().joints[0].range;
        let found = range.map_or(vec![], Vec::from);
        assert_near(text, &found, &numbers(&Value::Array(wanted.clone())));
    }
}
