//! The files that are built into the program.

macro_rules! assets {
    ($($path:literal),* $(,)?) => {
        &[$(($path, include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../assets/", $path)))),*]
    };
}

/// Path below `assets` and text. A test compares this list with the folder.
const ASSETS: &[(&str, &str)] = assets![
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
    "scenes/covered.yaml",
    "scenes/kitchen.yaml",
    "scenes/tabletop.yaml",
    "tasks/clutter_pick.yaml",
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

/// Paths below `assets`, and texts, of all files that are part of the program: meshes of
/// built-in robots are among them.
pub fn builtin_files() -> &'static [(&'static str, &'static str)] {
    ASSETS
}

/// The text of a built-in file.
pub(crate) fn text(path: &str) -> Option<&'static str> {
    let asset = ASSETS.iter().find(|(p, _)| *p == path)?;
    Some(asset.1)
}

/// Paths of all built-in files below `assets`.
#[cfg(test)]
pub(crate) fn paths() -> impl Iterator<Item = &'static str> {
    ASSETS.iter().map(|(path, _)| *path)
}
