//! Scanned objects: repairs, and the error of their convex parts.
#![expect(clippy::print_stdout, reason = "the test prints a table of errors")]

#[path = "../../../../../tests/common/scans.rs"]
mod models;

use crate::common::on_table;
use models::{DIRTY, Dirt, Triangles, scans};
use regrasp_mesh::{MOST_OUTSIDE, MeshReport};
use regrasp_scene::{Scene, SceneError};
use regrasp_testkit::{says, within};

fn load(surface: &Triangles, object: &str) -> Result<Scene, SceneError> {
    let keys = "mass_kg: 0.2, on: table, xy: [0.5, 0.1]";
    let object = format!("  - {{id: it, {object}, {keys}}}\n");
    on_table(&[("it.stl", surface.stl())], &object)
}

fn report(surface: &Triangles, object: &str) -> MeshReport {
    let scene = load(surface, object).unwrap_or_else(|e| panic!("{e}"));
    let it = crate::common::object(&scene, "it");
    let report = it.mesh_report.as_ref();
    MeshReport::clone(report.expect("a mesh has a report"))
}

const MESH: &str = "kind: mesh, file: it.stl";
const CLEAN: Dirt = Dirt {
    noise_m: 0.0,
    n_holes: 0,
    n_doubled: 0,
    n_flipped: 0,
    n_fins: 0,
};

#[test]
fn twelve_dirty_scans_are_repaired_and_split_within_a_tenth() {
    for scan in scans() {
        let found = report(&scan.dirty(DIRTY, 7), MESH);
        println!(
            "{:8} {:6} triangles {:3} parts, {:5.1} % outside, {:4.1} % missing, {:6.1} cm³",
            scan.name,
            found.n_triangles,
            found.n_parts,
            100.0 * found.outside,
            100.0 * found.missing,
            1e6 * found.volume_m3,
        );
        let name = scan.name;
        let outside = format!("outside of {name}");
        within(&outside, found.outside, ..=MOST_OUTSIDE);
        within(&format!("left out of {name}"), found.missing, ..=0.16);
        let repairs_text = found.repairs.join("\n");
        let repairs = [
            "joined 25 duplicate corners, at most 0.00",
            "removed 3 triangles that stood off an edge",
            "flipped 4 triangles that faced inwards",
            "closed 3 holes with 9 open edges, the widest ",
        ];
        says(&format!("{name}: {repairs_text}"), &repairs);
    }
}

#[test]
fn what_is_repaired_is_the_clean_solid_again() {
    let brick = || scans().into_iter().find(|s| s.name == "brick").unwrap();
    let clean = report(&brick().dirty(CLEAN, 1), MESH);
    let noise_m = 0.0;
    let dirty = report(&brick().dirty(Dirt { noise_m, ..DIRTY }, 1), MESH);
    assert!(clean.repairs.is_empty(), "{:?}", clean.repairs);
    let off = dirty.volume_m3 / clean.volume_m3 - 1.0;
    assert!(off.abs() < 1e-3, "{off:.1e} of the volume is lost");
}

#[test]
fn a_large_hole_is_refused_with_its_place_and_is_no_matter_for_a_decomposition() {
    let mug = scans().into_iter().next().unwrap();
    let mut open = mug.dirty(CLEAN, 1);
    let is_there = |p: &[f64; 3]| p[0] < 0.0 && p[1].abs() < 0.02 && (p[2] - 0.05).abs() < 0.02;
    let Triangles {
        vertices,
        triangles,
    } = &mut open;
    triangles.retain(|t| !t.iter().all(|i| is_there(&vertices[*i as usize])));
    let message = load(&open, MESH).unwrap_err().to_string();
    let open_at = ["it is open: ", "the widest is ", "around (-0.0"];
    says(&message, &open_at);
    says(&message, &["only small holes are closed"]);
    let found = report(&open, "kind: decomposition, mesh: it.stl");
    assert!(!found.is_closed && found.n_parts > 8, "{found:?}");
}

#[test]
fn the_hull_and_the_parts_of_a_mesh_say_how_far_they_are_off() {
    let mug = scans().into_iter().next().unwrap().dirty(DIRTY, 3);
    let hull = report(&mug, "kind: convex, mesh: it.stl");
    let is_coarse = hull.is_far_off() && hull.outside > 1.0;
    assert!(hull.n_parts == 1 && is_coarse, "{hull:?}");
    let parts = report(&mug, "kind: decomposition, mesh: it.stl");
    let is_repaired = parts.is_closed && !parts.repairs.is_empty();
    assert!(is_repaired && !parts.is_far_off(), "{parts:?}");
    let few = report(&mug, "kind: mesh, file: it.stl, max_parts: 6");
    assert!(few.n_parts <= 6 && few.is_far_off(), "{few:?}");
}
