//! Built-in files: robots, scenes, tasks, policy mappings and schemas, compiled into the programs.
//!
//! The crate reads nothing at run time and interprets nothing: the crates that know a format parse
//! its files. [`workspace_root`] is for tests and benches, which also read files that are not built
//! in.

use std::path::{Path, PathBuf};

macro_rules! files {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!("./", $path)))),*]
    };
}

/// Path below `assets` and text of each built-in file.
pub const FILES: &[(&str, &str)] = files![
    "policies/droid.yaml",
    "policies/joints.yaml",
    "policies/libero.yaml",
    "policies/roboarena.yaml",
    "recovery/blocked_way.yaml",
    "recovery/covered_for_good.yaml",
    "recovery/covered_twice.yaml",
    "recovery/fixed.yaml",
    "recovery/hemmed_in.yaml",
    "recovery/occupied.yaml",
    "recovery/occupied_for_good.yaml",
    "recovery/out_of_cell.yaml",
    "recovery/too_wide.yaml",
    "recovery/two_cubes.yaml",
    "recovery/unknown.yaml",
    "recovery/unreachable.yaml",
    "robots/fr3/fr3.yaml",
    "robots/panda/hand.obj",
    "robots/panda/hand_drawn.obj",
    "robots/panda/link0.obj",
    "robots/panda/link0_drawn.obj",
    "robots/panda/link1.obj",
    "robots/panda/link1_drawn.obj",
    "robots/panda/link2.obj",
    "robots/panda/link2_drawn.obj",
    "robots/panda/link3.obj",
    "robots/panda/link3_drawn.obj",
    "robots/panda/link4.obj",
    "robots/panda/link4_drawn.obj",
    "robots/panda/link5.obj",
    "robots/panda/link5_drawn.obj",
    "robots/panda/link6.obj",
    "robots/panda/link6_drawn.obj",
    "robots/panda/link7.obj",
    "robots/panda/link7_drawn.obj",
    "robots/panda/panda.urdf",
    "robots/panda/panda.yaml",
    "scenes/covered.yaml",
    "scenes/kitchen.yaml",
    "scenes/tabletop.yaml",
    "schemas/cameras.schema.json",
    "schemas/percepts.schema.json",
    "schemas/policy-mapping.schema.json",
    "schemas/result.schema.json",
    "schemas/seen.schema.json",
    "tasks/clutter_pick.yaml",
    "tasks/everyday/beside.yaml",
    "tasks/everyday/between.yaml",
    "tasks/everyday/in.yaml",
    "tasks/everyday/move.yaml",
    "tasks/everyday/named.yaml",
    "tasks/everyday/on.yaml",
    "tasks/everyday/open.yaml",
    "tasks/everyday/pick.yaml",
    "tasks/everyday/push.yaml",
    "tasks/everyday/put_away.yaml",
    "tasks/everyday/shut_in.yaml",
    "tasks/everyday/stack.yaml",
    "tasks/everyday/steps.yaml",
    "tasks/everyday/swap.yaml",
    "tasks/fill_bowl.yaml",
    "tasks/hinges/close_door.yaml",
    "tasks/hinges/close_flap.yaml",
    "tasks/hinges/close_lid.yaml",
    "tasks/hinges/middle_drawer.yaml",
    "tasks/hinges/open_door.yaml",
    "tasks/hinges/open_flap.yaml",
    "tasks/hinges/open_lid.yaml",
    "tasks/hinges/swing_lever.yaml",
    "tasks/hinges/throw_lever.yaml",
    "tasks/hinges/turn_on.yaml",
    "tasks/home.yaml",
    "tasks/maniskill/pick_cube.yaml",
    "tasks/maniskill/peg_insertion_side.yaml",
    "tasks/maniskill/plug_charger.yaml",
    "tasks/maniskill/push_cube.yaml",
    "tasks/maniskill/stack_cube.yaml",
    "tasks/maniskill/stack_pyramid.yaml",
    "tasks/nut_on_peg.yaml",
    "tasks/open_drawer.yaml",
    "tasks/over_wall.yaml",
    "tasks/pick_cube.yaml",
    "tasks/pick_cube_scrambled.yaml",
    "tasks/pick_from_three.yaml",
    "tasks/pick_unreachable_cube.yaml",
    "tasks/place_left_of.yaml",
    "tasks/press_button.yaml",
    "tasks/pull_back.yaml",
    "tasks/ring_on_post.yaml",
    "tasks/robosandbox/pick_mug.yaml",
    "tasks/robosandbox/pour.yaml",
    "tasks/robosuite/lift.yaml",
    "tasks/robosuite/nut_assembly_round.yaml",
    "tasks/robosuite/nut_assembly_square.yaml",
    "tasks/robosuite/pick_place_can.yaml",
    "tasks/robosuite/stack.yaml",
    "tasks/robosandbox/push_forward.yaml",
    "tasks/shapes/book.yaml",
    "tasks/shapes/bottle.yaml",
    "tasks/shapes/carton.yaml",
    "tasks/shapes/cup.yaml",
    "tasks/shapes/dumbbell.yaml",
    "tasks/shapes/ell.yaml",
    "tasks/shapes/open_box.yaml",
    "tasks/shapes/prism.yaml",
    "tasks/shapes/ring.yaml",
    "tasks/shapes/rod.yaml",
    "tasks/shapes/spool.yaml",
    "tasks/shapes/wedge.yaml",
    "tasks/shelf_pick.yaml",
    "tasks/stand_up.yaml",
    "tasks/stack_two.yaml",
    "tasks/tamp/blocks_4.yaml",
    "tasks/tamp/blocks_6.yaml",
    "tasks/tamp/blocks_8.yaml",
    "tasks/tamp/hanoi_3.yaml",
    "tasks/tamp/hanoi_4.yaml",
    "tasks/tamp/kitchen.yaml",
    "tasks/tamp/put_back.yaml",
    "tasks/tamp/sorting.yaml",
    "tasks/unstack_to_plate.yaml",
];

/// Returns the text of a built-in file by its path below `assets`.
pub const fn find(path: &str) -> Option<&'static str> {
    let mut i = 0;
    while i < FILES.len() {
        if equal(FILES[i].0.as_bytes(), path.as_bytes()) {
            return Some(FILES[i].1);
        }
        i += 1;
    }
    None
}

/// Returns the text of a built-in file that is known to exist. In a constant, a wrong path is a
/// compile error.
///
/// # Panics
///
/// Panics if no built-in file has this path.
pub const fn text(path: &str) -> &'static str {
    find(path).expect("no built-in file has this path")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Folder of the built-in files in the checkout that this crate was compiled from.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Root of the checkout that this crate was compiled from.
pub fn workspace_root() -> PathBuf {
    folder().join("..")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_data_file_is_built_in() {
        let mut on_disk = BTreeSet::new();
        let mut folders = vec![folder().to_owned()];
        while let Some(parent) = folders.pop() {
            for entry in std::fs::read_dir(parent).expect("the folder is readable") {
                let path = entry.expect("an entry").path();
                let below = path.strip_prefix(folder()).expect("it is below the folder");
                if path.is_dir() {
                    folders.push(path);
                } else if below.components().count() > 1 && !below.starts_with("pictures") {
                    on_disk.insert(below.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        let built_in = FILES.iter().map(|(path, _)| (*path).to_owned());
        assert_eq!(built_in.collect::<BTreeSet<_>>(), on_disk);
    }

    #[test]
    fn a_file_is_found_by_its_whole_path_only() {
        const SCENE: &str = text("scenes/tabletop.yaml");
        assert!(SCENE.contains("objects"));
        assert_eq!(find("scenes/tabletop"), None);
        assert_eq!(find("scenes/tabletop.yaml2"), None);
    }
}
