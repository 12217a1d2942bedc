//! Objects whose shape is a mesh file.

#[path = "../../../../../tests/common/solids.rs"]
mod solids;

use std::sync::Arc;

use crate::common::{ALONE, on_table as load};
use regrasp_api::{Pose, Shape};
use regrasp_mesh::MeshBody;
use regrasp_scene::{Scene, SceneError, SceneObject};
use regrasp_testkit::{near, rows, says, within};
use solids::{Solid, angle, block, cup, tee};

fn object(file: &str, keys: &str) -> String {
    format!("  - {{id: it, kind: mesh, file: {file}, on: table, xy: [0.5, 0.1]{keys}}}\n")
}

fn one(file: &str, bytes: Vec<u8>, keys: &str) -> Result<(SceneObject, Arc<MeshBody>), SceneError> {
    let scene = load(&[(file, bytes)], &object(file, keys))?;
    let it = crate::common::object(&scene, "it").clone();
    let mesh = it.mesh.clone().unwrap();
    Ok((it, mesh))
}

const MASS: &str = ", mass_kg: 0.1";

fn bounds(it: &SceneObject) -> [[f64; 3]; 2] {
    let aabb = it.shape.aabb(&Pose::identity());
    [aabb.min, aabb.max]
}

fn n_parts(shape: &Shape) -> usize {
    match shape {
        Shape::Compound { parts } => parts.len(),
        _ => 1,
    }
}

fn assert_near(got: &[f64], wanted: &[f64], tolerance: f64, what: &str) {
    assert_eq!(got.len(), wanted.len());
    for (a, b) in got.iter().zip(wanted) {
        assert!(
            (a - b).abs() <= tolerance,
            "{what}: {got:?} instead of {wanted:?}"
        );
    }
}

#[test]
fn every_format_gives_the_same_solid_the_right_way_up() {
    let tee = tee();
    let in_millimetres = ", scale: 0.001";
    let files = [
        ("tee.obj", tee.obj(1.0), ""),
        ("tee.OBJ", tee.obj(0.001), in_millimetres),
        ("tee.stl", tee.stl(1.0), ""),
        ("tee.stl", tee.stl(0.001), in_millimetres),
        ("tee.glb", tee.glb(), ""),
        ("tee.glb", tee.glb(), ", up: y"),
    ];
    for (name, bytes, keys) in files {
        let (it, mesh) = one(name, bytes, &format!("{MASS}{keys}"))
            .unwrap_or_else(|e| panic!("{name}{keys}: {e}"));
        let [min, max] = bounds(&it);
        assert_near(&min, &[-0.045, -0.015, 0.0], 1e-6, name);
        assert_near(&max, &[0.045, 0.015, 0.09], 1e-6, name);
        near(name, mesh.volume_m3, 1.35e-4, 1e-9);
        let lowest = it.shape.aabb(&it.world_from_object).min[2];
        near("lowest z on the table", lowest, 0.04, 1e-9);
        assert_eq!((it.mass_kg, it.category.as_str()), (Some(0.1), "mesh"));
    }
    let (lying, _) = one("tee.glb", tee.glb(), &format!("{MASS}, up: z")).unwrap();
    let [_, max] = bounds(&lying);
    let expected = [0.045, 0.09, 0.015];
    assert_near(&max, &expected, 1e-6, "as it stands in the file");
}

#[test]
fn collada_stands_as_it_says() {
    let points = "-2 -1 0 2 -1 0 2 1 0 -2 1 0 -2 -1 8 2 -1 8 2 1 8 -2 1 8";
    let faces = "0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7";
    let file = |up: &str| {
        format!(
            r##"<COLLADA><asset><unit meter="0.01"/><up_axis>{up}_UP</up_axis></asset><library_geometries>
            <geometry id="g"><mesh><source id="p"><float_array id="a">{points}</float_array><technique_common>
            <accessor source="#a" stride="3"/></technique_common></source><vertices id="v">
            <input semantic="POSITION" source="#p"/></vertices><triangles count="12">
            <input semantic="VERTEX" source="#v" offset="0"/><p>{faces}</p></triangles></mesh></geometry>
            </library_geometries></COLLADA>"##
        )
        .into_bytes()
    };
    for (up, keys, size) in [
        ("Z", "", [0.04, 0.02, 0.08]),
        ("Y", "", [0.04, 0.08, 0.02]),
        ("X", "", [0.02, 0.08, 0.04]),
        ("Y", ", up: z", [0.04, 0.02, 0.08]),
        ("Z", ", up: y", [0.04, 0.08, 0.02]),
    ] {
        let (it, mesh) = one("box.dae", file(up), &format!("{MASS}{keys}")).unwrap();
        let [min, max] = bounds(&it);
        let found = [0, 1, 2].map(|i| max[i] - min[i]);
        assert_near(&found, &size, 1e-6, &format!("{up}{keys}"));
        near("volume", mesh.volume_m3, 6.4e-5, 1e-9);
    }
}

#[test]
fn a_gltf_file_may_have_its_buffer_beside_it() {
    let tee = tee();
    let json = tee.gltf_json(Some("parts/tee.bin")).into_bytes();
    let text = object("tee.gltf", MASS);
    let text = text.as_str();
    let error = load(&[("tee.gltf", json)], text).unwrap_err().to_string();
    says(&error, &["`parts/tee.bin` cannot be read"]);
    let json = tee.gltf_json(Some("tee.bin")).into_bytes();
    let files = [("tee.gltf", json), ("tee.bin", tee.gltf_buffer())];
    let scene = load(&files, text).unwrap();
    let [_, max] = bounds(&scene.objects[1]);
    assert_near(&max, &[0.045, 0.015, 0.09], 1e-6, "tee");
    for outside in ["../tee.bin", "/etc/hostname", "http://example.com/tee.bin"] {
        let json = tee.gltf_json(Some(outside)).into_bytes();
        let error = load(&[("tee.gltf", json)], text).unwrap_err().to_string();
        says(&error, &["expected a file in the same folder"]);
    }
}

#[test]
fn the_mass_of_a_box_is_where_formulas_say() {
    let edges = [0.04, 0.06, 0.08];
    let middle = [0.01, -0.02, 0.03];
    let solid = block(edges).moved(middle);
    let keys = ", density_kg_per_m3: 500";
    let (it, mesh) = one("box.obj", solid.obj(1.0), keys).unwrap();
    assert!(matches!(&it.shape, Shape::Convex { points } if points.len() == 8));
    let mass_kg = 500.0 * 0.04 * 0.06 * 0.08;
    near("mass", it.mass_kg.unwrap(), mass_kg, 1e-7);
    assert_near(&mesh.mass_center, &middle, 1e-7, "centre of mass");
    let [x, y, z] = edges.map(|e| e * e / 12.0);
    let wanted = [[y + z, 0.0, 0.0], [0.0, x + z, 0.0], [0.0, 0.0, x + y]];
    let [got, wanted] = [mesh.inertia_per_kg, wanted].map(|m| m.concat());
    assert_near(&got, &wanted, 1e-9, "moments of inertia of a kilogram");
    near("volume", mesh.parts_volume_m3, mesh.volume_m3, 1e-9);
}

#[test]
fn an_angle_weighs_what_its_two_bars_weigh() {
    // 8 x 3 x 3 cm and 5 x 3 x 3 cm; centres of mass in the plane.
    let (long, short) = ([-0.025, 0.0], [0.015, -0.025]);
    let (a, b) = (0.08 * 0.03 * 0.03, 0.05 * 0.03 * 0.03);
    let (it, mesh) = one("l.stl", angle().stl(1.0), ", density_kg_per_m3: 1000").unwrap();
    near("mass", it.mass_kg.unwrap(), 1000.0 * (a + b), 1e-6);
    let [x, y] = [0, 1].map(|i| (a * long[i] + b * short[i]) / (a + b));
    assert_near(&mesh.mass_center, &[x, y, 0.0], 1e-7, "centre of mass");
}

#[test]
fn convex_parts_enclose_what_the_mesh_does() {
    // Flat pieces of a round wall add more volume than merging does.
    for (name, solid, most, n) in [
        ("angle", angle(), 1.01, 2),
        ("tee", tee(), 1.01, 2),
        ("cup", cup(), 1.05, 32),
    ] {
        let (it, mesh) = one("m.stl", solid.stl(1.0), MASS).unwrap();
        let part = mesh.parts_volume_m3 / mesh.volume_m3;
        assert!((0.998..most).contains(&part), "{name}: {part:.4} of it");
        let n_parts = n_parts(&it.shape);
        assert!((2..=n).contains(&n_parts), "{name}: {n_parts}");
    }
    let (it, _) = one("cup.stl", cup().stl(1.0), MASS).unwrap();
    let cavity = it.shape.cavity().expect("something can be put into a cup");
    near("floor", cavity.floor_z, 0.004, 1e-3);
    near("rim", cavity.rim_z, 0.08, 1e-3);
    within("it is open to, m", cavity.opening_m(), 0.024..);
}

#[test]
fn scales_may_differ_along_axes_and_sizes_may_be_drawn() {
    let keys = ", density_kg_per_m3: 1000, scale: [1, 2, 0.5]";
    let (it, mesh) = one("b.obj", block([0.04; 3]).obj(1.0), keys).unwrap();
    assert_near(&bounds(&it)[1], &[0.02, 0.04, 0.01], 1e-7, "half sizes");
    near("mass", it.mass_kg.unwrap(), 0.064, 1e-6);
    let around_x = (0.08 * 0.08 + 0.02 * 0.02) / 12.0;
    assert_near(&mesh.inertia_per_kg[0], &[around_x, 0.0, 0.0], 1e-9, "row");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("b.obj");
    std::fs::write(&file, angle().obj(1.0)).unwrap();
    let task = format!(
        "name: t
prompt: lift it
scene:
  objects:
    - {{id: table, kind: table, size: [1.0, 1.0], top_z: 0.04, xy: [0.6, 0.0]}}
    - {{id: it, kind: mesh, file: {file:?}, density_kg_per_m3: 1000, on: table, xy: [0.5, 0.1]}}
placement: [{{object: it, size_jitter: 0.3}}]
success: [{{lifted: {{object: it, min_height_m: 0.05}}}}]
"
    );
    let task = crate::common::task(&task).unwrap();
    let scene = task.instantiate(5).unwrap().scene;
    let it = &scene.objects[1];
    let factor = (bounds(it)[1][0] - bounds(it)[0][0]) / 0.08;
    assert!((factor - 1.0).abs() > 0.01, "seed 5 must draw another size");
    let mesh = it.mesh.as_ref().unwrap();
    let mass_kg = 1000.0 * 1.17e-4 * factor.powi(3);
    near("mass", it.mass_kg.unwrap(), mass_kg, 1e-6);
    let surface = mesh.vertices.iter().map(|p| p[0]).fold(0.0, f64::max);
    near("half width of the surface", surface, 0.04 * factor, 1e-7);
    let turned = mesh.inertia_per_kg[2][2];
    let (_, plain) = one("b.obj", angle().obj(1.0), MASS).unwrap();
    let expected = plain.inertia_per_kg[2][2] * factor * factor;
    near("inertia", turned, expected, 1e-9);
}

#[test]
fn a_scene_with_a_mesh_survives_being_written_and_read() {
    let scene = load(&[("l.stl", angle().stl(1.0))], &object("l.stl", MASS)).unwrap();
    let text = serde_json::to_string(&scene).unwrap();
    assert_eq!(serde_json::from_str::<Scene>(&text).unwrap(), scene);
}

fn changed(change: impl Fn(&mut Solid)) -> Vec<u8> {
    let mut solid = block([0.04; 3]);
    change(&mut solid);
    solid.obj(1.0)
}

#[test]
fn what_is_no_solid_is_refused_with_the_line_and_what_would_be_right() {
    let good = || block([0.04; 3]);
    let cut = |bytes: Vec<u8>| bytes[..bytes.len() - 30].to_vec();
    let odd = |x: f32| {
        let mut bytes = good().stl(1.0);
        bytes[96..100].copy_from_slice(&x.to_le_bytes());
        bytes
    };
    let many = Solid {
        vertices: vec![[0.0; 3]],
        triangles: vec![[0; 3]; 200_001],
    };
    let turned = |s: &mut Solid| s.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let bytes_of = |file: &str| match file {
        "cut.stl" => cut(good().stl(1.0)),
        "nan.stl" => odd(f32::NAN),
        "endless.stl" => odd(f32::INFINITY),
        "many.stl" => many.stl(1.0),
        "cut.glb" => cut(good().glb()),
        "open.obj" => changed(|s| s.triangles.truncate(11)),
        "swapped.obj" => changed(|s| s.triangles[4].swap(0, 1)),
        "turned.obj" => changed(turned),
        "good.obj" => good().obj(1.0),
        "mm.obj" => good().obj(0.001),
        "km.obj" => good().obj(1000.0),
        "far.obj" => good().moved([11.0, 0.0, 0.0]).obj(1.0),
        text => panic!("unknown mesh `{text}`"),
    };
    // A file, or a file type and its content; keys; parts of the message.
    for [file, text, keys, parts] in rows(include_str!("../data/refused/meshes.txt")) {
        let bytes = match text.as_str() {
            "-" => bytes_of(&file),
            text => text.as_bytes().to_vec(),
        };
        let comma = if keys.is_empty() { "" } else { ", " };
        let keys = format!("{comma}{keys}");
        let error = one(&file, bytes, &format!("{MASS}{keys}")).expect_err(&file);
        assert_eq!(error.line(), Some(3), "{error}");
        let text = error.to_string();
        for part in parts.split("; ") {
            assert!(text.contains(part), "{file}{keys}: `{part}` in: {text}");
        }
    }
    let missing = "  - {id: it, kind: mesh, file: no.glb, mass_kg: 0.1, on: table}\n";
    let text = load(ALONE, missing).unwrap_err().to_string();
    says(&text, &["no.glb", "no such file"]);
    let massless = one("m.obj", good().obj(1.0), "").unwrap_err().to_string();
    says(&massless, &["mass_kg, density_kg_per_m3, fixed: true"]);
}

#[test]
fn what_was_turned_inside_out_is_turned_back_and_what_is_fixed_may_be_long() {
    let turned = changed(|s| s.triangles.iter_mut().for_each(|t| t.swap(0, 1)));
    let (_, mesh) = one("m.obj", turned, &format!("{MASS}, flip: true")).unwrap();
    near("volume", mesh.volume_m3, 6.4e-5, 1e-9);
    let aside = changed(|s| s.vertices.iter_mut().for_each(|v| v[0] += 0.3));
    let (it, _) = one("m.obj", aside, &format!("{MASS}, center: true")).unwrap();
    let [min, max] = bounds(&it);
    near("the middle along x, m", min[0] + max[0], 0.0, 1e-6);
    let rail = block([0.04, 0.04, 3.0]).obj(1.0);
    assert!(one("m.obj", rail.clone(), MASS).is_err());
    assert!(one("m.obj", rail, ", fixed: true").is_ok());
}

#[test]
fn a_malformed_file_never_panics() {
    for (name, bytes) in [
        ("m.stl", tee().stl(1.0)),
        ("m.obj", tee().obj(1.0)),
        ("m.glb", tee().glb()),
    ] {
        for i in 0..60 {
            let mut bytes = bytes.clone();
            let at = (i * 7919) % bytes.len();
            match i % 3 {
                0 => bytes.truncate(at),
                1 => bytes[at] ^= 0x55,
                _ => {
                    bytes.remove(at);
                }
            }
            // Only the return matters here, be it a value or an error.
            let _ = one(name, bytes, MASS);
        }
    }
}
