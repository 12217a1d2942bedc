//! Tests of mesh files: each format yields the same triangle, and errors name the path.

use std::{fs, path::Path};

use nalgebra::Point3;
use regrasp_testkit::rows;

use crate::{Geometry, MeshSearch, RobotModel};

/// A right-angled triangle in the plane z = 0: (0, 0, 0), (1, 0, 0), (0, 2, 0).
fn binary_stl() -> Vec<u8> {
    let mut bytes = vec![0; 80];
    bytes.extend(1_u32.to_le_bytes());
    for number in [
        0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0_f32,
    ] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([0, 0]);
    bytes
}

const TEXT_STL: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 2 0\nendloop\nendfacet\nendsolid t\n";

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n";

/// The triangle in centimetres, shifted back by a node's matrix.
fn collada(matrix: &str) -> String {
    include_str!("../../tests/data/triangle.dae").replace("MATRIX", matrix)
}

const SHIFT: &str = "1 0 0 -10 0 1 0 0 0 0 1 0 0 0 0 1";

fn load(dir: &Path, search: &MeshSearch, mesh: &str) -> Result<Geometry, String> {
    let urdf = format!(
        "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh {mesh}/></geometry></collision></link></robot>"
    );
    RobotModel::from_urdf_str(&urdf, dir, search)
        .map(|model| model.links()[0].collisions[0].geometry.clone())
        .map_err(|error| error.to_string())
}

fn corners(geometry: &Geometry) -> [Point3<f64>; 3] {
    let Geometry::Mesh {
        vertices,
        triangles,
    } = geometry
    else {
        panic!("the geometry is not a mesh: {geometry:?}");
    };
    assert_eq!(triangles.len(), 1);
    triangles[0].map(|index| vertices[index as usize])
}

#[test]
fn every_format_gives_the_same_triangle() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("pkg/meshes")).unwrap();
    fs::write(at("binary.stl"), binary_stl()).unwrap();
    fs::write(at("text.STL"), TEXT_STL).unwrap();
    fs::write(at("t.obj"), OBJ).unwrap();
    fs::write(at("t.dae"), collada(SHIFT)).unwrap();
    fs::write(at("pkg/meshes/t.stl"), binary_stl()).unwrap();
    let absolute = format!("file://{}", at("binary.stl").display());
    let search = MeshSearch {
        package_paths: vec!["nowhere".into(), dir.path().into()],
        ..MeshSearch::default()
    };
    for filename in [
        "binary.stl",
        "text.STL",
        "t.obj",
        "t.dae",
        "package://pkg/meshes/t.stl",
        &absolute,
    ] {
        let geometry = load(dir.path(), &search, &format!("filename=\"{filename}\""));
        let expected = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 2.0, 0.0]];
        for (corner, expected) in corners(&geometry.unwrap()).iter().zip(expected) {
            let off_m = (corner - Point3::from(expected)).norm();
            assert!(off_m < 1e-6, "{filename}: {corner} instead of {expected:?}");
        }
    }
    let package_itself = MeshSearch {
        package_paths: vec![at("pkg")],
        ..MeshSearch::default()
    };
    let mesh = "filename=\"package://pkg/meshes/t.stl\"";
    load(Path::new(""), &package_itself, mesh).unwrap();
}

/// The file's up axis is ignored, as in ROS.
#[test]
fn collada_scenes_of_links_are_walked_and_not_turned() {
    let dir = tempfile::tempdir().unwrap();
    let nested = collada(SHIFT)
        .replace("<matrix>", "<rotate>0 0 1 90</rotate><node><matrix>")
        .replace("</node>", "</node></node>")
        .replace("</asset>", "<up_axis>Y_UP</up_axis></asset>");
    fs::write(dir.path().join("nested.dae"), nested).unwrap();
    let search = MeshSearch::default();
    let nested = load(dir.path(), &search, "filename=\"nested.dae\"").unwrap();
    let expected = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-2.0, 0.0, 0.0]];
    for (corner, expected) in corners(&nested).iter().zip(expected) {
        assert!((corner - Point3::from(expected)).norm() < 1e-6, "{corner}");
    }
    let instance = "<instance_geometry url=\"#g\"/>";
    let twice = collada(SHIFT).replace(instance, &instance.repeat(2));
    fs::write(dir.path().join("twice.dae"), twice).unwrap();
    let twice = load(dir.path(), &search, "filename=\"twice.dae\"").unwrap();
    assert!(matches!(twice, Geometry::Mesh { triangles, .. } if triangles.len() == 2));
}

#[test]
fn a_mirrored_mesh_still_faces_outwards() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("t.obj"), OBJ).unwrap();
    let mesh = "filename=\"t.obj\" scale=\"-2 0.5 1\"";
    let [a, b, c] = corners(&load(dir.path(), &MeshSearch::default(), mesh).unwrap());
    let points = [[0.0; 3], [0.0, 1.0, 0.0], [-2.0, 0.0, 0.0]];
    assert_eq!([a, b, c], points.map(Point3::from));
    let up = (b - a).cross(&(c - a)).z;
    assert!(up > 0.0, "the triangle has turned over");
}

#[test]
fn a_mesh_that_cannot_be_had_is_an_error_that_says_where_it_was_looked_for() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    fs::create_dir_all(at("own_package")).unwrap();
    fs::write(at("empty.obj"), "v 0 0 0\n").unwrap();
    fs::write(at("far.obj"), "v 0 0 300\nv 1 0 300\nv 0 1 300\nf 1 2 3\n").unwrap();
    fs::write(at("short.stl"), &binary_stl()[..100]).unwrap();
    fs::write(at("short.dae"), collada("1 0 0")).unwrap();
    fs::write(at("t.xyz"), "not a mesh").unwrap();
    let mut infinite = binary_stl();
    infinite[96..100].copy_from_slice(&f32::INFINITY.to_le_bytes());
    fs::write(at("infinite.stl"), infinite).unwrap();
    let search = MeshSearch {
        package_paths: vec![dir.path().into()],
        ..MeshSearch::default()
    };
    let shown = dir.path().display().to_string();
    let check = |filename: &str, problem: &str| {
        let error =
            load(dir.path(), &search, &format!("filename=\"{filename}\"")).expect_err(problem);
        let expected = format!(
            "load robot `<string>`: line 1: collision 0 of link `a` has the mesh `{filename}`, {problem}"
        );
        assert!(error.starts_with(&expected), "{error}\nnot\n{expected}");
    };
    for [filename, problem] in rows(include_str!("../../tests/data/refused/meshes.txt")) {
        check(&filename, &problem.replace("SHOWN", &shown));
    }
}
