//! Scene, task and robot files as typed, validated values.
//!
//! **What it does.** It reads three kinds of YAML files, says in plain words and with
//! the line what is wrong with them, and draws what is random in a task.
//!
//! **What it does not do.** No simulation, no kinematics (whether an arm can reach an
//! object is not its business), no judging: what the [`Success`] conditions of a task mean and
//! when they hold is up to `regrasp-ground-truth`; here they only get their lines.
//!
//! **Where to enter.** [`load_robot`], [`load_scene`], [`load_task`] for files;
//! [`builtin_robot`], [`builtin_scene`], [`builtin_task`], [`find_task`] for what is
//! built into the program; then [`Task::instantiate`]; [`preset`] for scenes to begin with.
//!
//! Success conditions are read by serde derives over the YAML tree, everything else field by field.
//! That was tried on the conditions first: 52 of 62 broken files say the same as before, and the
//! code grew by half, since each type repeats its limits. Scenes and robots stay as they are.
//!
//! # Invariants
//!
//! - Whatever a file holds, reading it gives a value or a [`SceneError`], never a
//!   panic. Every error names file, line, what is wrong and what is allowed.
//! - A [`TaskInstance`] is a function of the task's name and the seed: the same on
//!   every machine, and not changed by adding other tasks. Seed 0 is the baseline
//!   without any variation.
//! - In a scene that was loaded nothing starts inside anything else by more than
//!   2 mm, and in a task that was loaded the goal does not hold at the start.
//!
//! # Files
//!
//! Lengths in metres, angles in radians, masses in kilograms, quaternions as
//! `[x, y, z, w]`. Paths are relative to the file that names them.
//!
//! **A scene** has `objects`, and optionally `name` and `arm` (`position`, `yaw_rad` or
//! `quat_xyzw` of the base; `start_joints_rad`, a list or a named pose;
//! `start_width_m`; `pad_friction` if the finger pads differ from the robot's own; what it stands
//! on, see below) and `cameras`. Every object has an `id` and a `kind`:
//!
//! | kind | its own keys |
//! |---|---|
//! | `box`, `cube`, `block` | `size` or `half_extents`: three numbers, or one for a cube |
//! | `sphere`, `ball` | `radius` |
//! | `cylinder`, `capsule` | `radius`, `height` (caps included), along z |
//! | `mesh` | `file`, `scale`, `up`, `flip`, `max_parts`: a closed surface, see below |
//! | `convex` | `points`, or `mesh` with `scale` and `up`: the convex hull |
//! | `decomposition` | `mesh`, `scale`, `up`, `max_parts`: convex parts of any triangles, closed or not |
//! | `extrusion` | `outline`: corners [x, y] of a polygon, and `height`: it reaches half of that up and down along z |
//! | `lathe` | `profile`: corners [radius, z] of a polygon, turned about the z axis |
//! | `torus` | `radius` of its middle circle, `tube`: radius of what is bent to it |
//! | `mug` | `height`, `diameter`, `wall`, `handle` (how far it stands out; 0 for none) |
//! | `bowl` | `radius` of the rim, `height`, `wall` |
//! | `tray` | `size` (two numbers), `height`, `wall` |
//! | `plate` | `radius`, `thickness`, `rim` (how far it stands up) |
//! | `table` | `size` (two numbers), `top_z`, `xy`, `thickness`; never moves |
//! | `height_field` | `size` (two numbers), `heights`: a list of rows, one for each place along x, or a file of them; `bottom` (0.02 below the lowest height) |
//! | `point_cloud` | `points`, or `file` (PLY, or a point a line) with `scale`; `radius` of the ball around each |
//! | `compound` | `parts`: a list of solids (convex ones, and those that a polygon sweeps), each with its own `kind`, keys and `position`, and `yaw_rad` or `quat_xyzw`, in the object's frame |
//! | `beads` | `n` balls of a `radius`, `in` a container; together they are the group `<id>` |
//! | `drawer` | `size`, `travel`, `wall`, `handle`, `open`; opens along its x axis |
//! | `articulated` | `parts` of what stays, and `bodies` that move on it; see below |
//! | `button` | `radius` of the cap, `height` of its housing (0.04), `travel`, `press_at` (how far it has to go to count), `force_n` at the end of its travel (5); goes down along z |
//!
//! **What the arm stands on.** `arm: {on: table, xy: [-0.3, 0.0]}` puts the base on top of a fixed
//! object, at that place in World (the origin if left out); `let_in_m` says how deep it is let into
//! it. With `position` in the place of `xy` it is where that says: in a hole, inside of a cabinet.
//! `pedestal: {radius: 0.18}` or `{size: [0.3, 0.3]}` builds a fixed object `pedestal` under the
//! base, `height` high (down to z = 0 if left out), with `color`, `rgba` and `friction`. Links that
//! do not move never collide with what is fixed, so nothing has to be allowed; the links that the
//! arm moves collide with the pedestal, and with what it is let into, as with anything else.
//! `regrasp check` says what the base is inside of that `on` does not name, and what else the arm
//! is inside of as it starts.
//!
//! A drawer becomes two objects, `<id>` that slides and `<id>_cabinet` that is fixed,
//! and a joint `<id>_slide`; a button becomes `<id>`, `<id>_housing` and `<id>_plunger`. Height fields and point clouds never move. What moves has `mass_kg` or `density_kg_per_m3`, anything
//! else `fixed: true`. `friction` is 0.5 unless said otherwise; `color` is a word,
//! `rgba` overrides how it looks; `category` is the kind unless said otherwise. An
//! object is put at a `position`, or `on: <id>` at `xy` in World: then its height
//! follows from the shapes, and without `xy` it stands over the other's origin,
//! wherever that is; with `zone` instead it stands in the middle of that zone of the other, on
//! what is there. `yaw_rad` or `quat_xyzw` turn it.
//!
//! `upright` is the object's own axis that points up when it stands: `x`, `y`, `z`, `-x`, `-y`
//! or `-z`, or `either x`, `either y`, `either z` where it may stand on both ends. Left out, it is
//! `z` for a `mug`, `bowl`, `tray`, `plate`, `lathe`, `drawer` and `button`, and where a file says
//! which of its axes is `up`; anything else stands on either end of its longest axis, and what has
//! none (a cube, a ball, a tile) cannot be stood up before somebody says which way.
//!
//! **An `articulated` thing** is a cabinet with drawers, a microwave with a door, a stove with a
//! knob. Its `parts` are as a compound's. Each of its `bodies` has a name, `parts`, a mass
//! (`mass_kg` or `density_kg_per_m3`; `inertia`, three moments along its axes, and `mass_center`
//! instead of what follows from the shape) and a `joint`; and optionally `position` with
//! `yaw_rad` or `quat_xyzw` in the frame of what it moves on (the base, or the body that `on`
//! names), `color`, `rgba`, `friction`, `category` (the last word of its name), `zones` and
//! `handle`, the number of the part to take hold of (what stands out of it if left out). A joint
//! has a `kind` (`hinge` or `slide`), `axis` and `point` in the body's frame, a `range` of
//! positions in rad or m, and optionally `start` (0), `closed_at` (the position at which it is
//! closed or off: the lower limit; it opens towards the limit that is further away), `role`
//! (`opens`, or `sets` for what is on or off), `open_from` and `closed_up_to` (how far it is open
//! when it counts as open or on, closed or off), `damping`, dry `friction`, `armature`, and
//! `collides: true` if the body touches the rest of the thing; otherwise what belongs to one thing
//! does not collide with itself. The bodies become the objects `<id>_<name>` and the joints
//! `<id>_<name>_joint`.
//!
//! ```yaml
//! - id: box
//!   kind: articulated
//!   fixed: true
//!   on: table
//!   xy: [0.5, 0.0]
//!   parts: [{half_extents: [0.1, 0.1, 0.05], position: [0.0, 0.0, 0.05]}]
//!   bodies:
//!     lid:
//!       mass_kg: 0.2
//!       parts: [{half_extents: [0.1, 0.1, 0.005], position: [-0.1, 0.0, 0.0]}]
//!       position: [0.1, 0.0, 0.105]
//!       joint: {kind: hinge, axis: [0, 1, 0], range: [0.0, 1.9], damping: 0.1}
//! ```
//!
//! `zones` are places of an object that have a name, for commands such as "on the front burner":
//! `{front_burner: {position: [-0.07, 0, 0.02], half_extents: [0.05, 0.05, 0.03]}}`, a box in the
//! object's own frame, or turned in it by `yaw_rad` or `quat_xyzw`. A scene's `viewpoint` says from where commands mean left and right: `robot`,
//! or `position` and `look_at` (two numbers each) of a person or a camera.
//!
//! **A mesh** is a `file` (OBJ, STL, glTF, GLB or COLLADA) whose triangles enclose a solid.
//! `scale` (a number, or three for x, y and z; 1) turns its lengths into metres: 0.001 for a
//! file of millimetres. `up` is the file's axis that points up, `y` or `z`: `y` for glTF, as
//! its standard says, otherwise `z`. The object's frame is the file's, turned so that z is up.
//! The surface is drawn as it is. Its mass is spread evenly inside of it: volume, centre of
//! mass and moments of inertia are integrals over the solid, so that `density_kg_per_m3` gives
//! the mass, and `mass_kg` scales them. What it touches and how it is held is found from
//! at most `max_parts` (256) convex parts, or from its convex hull where it fills 99.5 % of that.
//! There are as many parts as it takes until no more than a tenth of its volume is outside of it
//! ([`MeshReport`](regrasp_mesh::MeshReport) has the figures). Parts are kept in the user's cache folder (in `regrasp`; the
//! environment variable `REGRASP_CACHE_DIR` names another folder, or none if it is empty) under a
//! hash of the triangles in metres and of how they are split; a broken file there is made anew.
//! What is mended, and told: corners that are doubled within 0.05 % of the length, corners in the
//! middle of a neighbour's edge, triangles that are there twice, that stand off the surface or face
//! inwards (a twentieth of them at most), loose specks, and holes of up to a tenth of the length and
//! 2 cm. What is refused, with the line: a missing or unreadable file, another format, no triangles,
//! coordinates that are no numbers, more than 200,000 triangles, larger holes (with the number of
//! open edges and the place of the widest hole), more triangles that face opposite ways, a surface
//! that is inside out (unless `flip: true` turns it), something flat, and what is longer than
//! 2 m (10 m if it is `fixed`), as a file of millimetres is that is read as metres.
//!
//! **What a polygon sweeps** (`extrusion`, `lathe`, `torus`, and a `compound` of nothing else) is a
//! mesh without a file: its surface is drawn, its mass is spread evenly inside, and its convex
//! parts are exactly the solid. A polygon has 3 to 64 corners in either direction, is closed by
//! itself and does not cross itself. What is round has 20 flat sides with their corners on the
//! circle. What parts of a compound share counts twice for its mass.
//!
//! **What is drawn.** `visuals` of an object is a list of surfaces that are drawn in the place of
//! its shape and touched by nothing; `scenery` of a scene is the same in World. Each is a mesh
//! (`file`, `scale`, which may mirror, and `up`) or of a `kind`: `box` (`size`, `half_extents`),
//! `sphere` (`radius`, or `radii`), `cylinder`, `capsule` (`radius`, `height`), `plane` (`size`,
//! seen from above); it has a pose, `color` or `rgba`, `gloss` (0 to 1), and is seen from one side
//! unless it is `two_sided`. It may be open. Meshes are OBJ, STL, glTF, COLLADA or MuJoCo's `.msh`.
//! `texture` is a PNG, tinted by the colour if there is one, and `mapping` says how it lies:
//! at the file's own `coordinates`; `planar`, from above, `repeat`ed so often along x and y, in
//! every metre if `per_metre`; or `cube`, the whole image on each of six sides, stretched to
//! the surface unless `stretched: false`.
//!
//! `mass_center` and `inertia` (xx, yy, zz, or these and xy, xz, yz, kg m² about that centre) go
//! with `mass_kg` and say where the mass is, if it is not spread evenly.
//!
//! An object may have a `plug`, which goes into the `hole` of another: both have a
//! `position` (the middle of the plug's tip, of the hole's mouth) and `yaw_rad` or
//! `quat_xyzw` in the object's frame, so that x is the way in, `half_size` (two numbers
//! along y and z) and `depth` (how much of the plug goes in, how deep the hole is); a plug
//! that goes in one way round only is `keyed: true`. A cross-section is a rectangle, `round: true`,
//! or a regular polygon with so many `sides` (3 to 24), one of which faces along y: it goes in
//! with any turn, or with as many as it has sides. A hole that goes all the way through is
//! `through: true`: a plug comes out of it, and comes in from either end unless it is keyed.
//! What is moved may be either of the two: a ring with a hole goes over a fixed peg with a plug,
//! whose `depth` is how far it stands out of what the ring comes to rest on.
//!
//! **A camera** has a `name`, a `position` and either `look_at` (a point) or `quat_xyzw` (of
//! the frame with z forward, x right, y down), in World or, with `on` (`hand`, `flange`,
//! `tool`, `base`), in the frame of that link; `fov_deg` from its upper to its lower edge (45)
//! and `size` in pixels ([640, 480]). Every scene has the cameras `scene`, `top` and
//! `wrist`, unless its file says what they are.
//!
//! **A task** has a `name`, a `prompt` (in which `{goal}` stands for the goal point), a
//! `scene` (inline, or the path of a scene file), `success`, and optionally
//! `description`, `time_limit_s` (120), `expected_failure` (the reason with which a
//! task that cannot be done has to be refused), `joint_noise_rad` (σ of normal noise
//! on the arm's start), `goal` (`x`, `y`, `z`, each a number or a range), `draw` and
//! `placement`, a list whose entries name `object` or `objects` and vary them:
//!
//! | key | draws |
//! |---|---|
//! | `xy_jitter_m` | uniformly ± this about the scene's place |
//! | `x`, `y` | uniformly in two ranges |
//! | `ring` | `center`, ranges of `radius` and `angle_rad` |
//! | `relative_to` | `object`, and ranges `x` and `y` of an offset in that object's frame (its heading only) |
//! | `zone` | anywhere in that zone of what the object stands `on` (its origin, along the zone's axes) |
//! | `yaw_rad` | a turn: `any`, or a range |
//! | `shuffle` | `true`: the scene's places of the entry's objects are dealt out anew |
//! | `shared_offset_m` | uniformly ± this, the same for all objects of the entry |
//! | `min_separation_m` | again, until all origins of the entry are this far apart |
//! | `size_jitter`, `mass_jitter`, `color_jitter` | ± this fraction (of each colour channel's range) |
//!
//! `draw: {name: [lowest, highest], name: [word, word]}` draws numbers and words. A number may
//! stand anywhere in the task's inline scene and in `success` in the place of a number, as a
//! text that begins with `=`: `half_extents: [=half, =half, "=2 * half + 0.003"]`. A word chooses:
//! `{by: name, word: …, word: …}` in the place of an object, of its `position` or `quat_xyzw`, of
//! `prompt` and of `success` is what stands at the word that was drawn. Every choice of objects
//! has the same ids. Seed 0 has the middle of every range and the first of all words.
//!
//! `success` is one condition or a list of which all must hold: `lifted {object,
//! min_height_m}`, `on {object, target, xy_tolerance_m, dz_tolerance_m}`, `at {object,
//! point, tolerance_m}` (`point: goal` for the goal point), `in {object, target or region}`
//! (`region`: ranges of `x`, `y`, `z`, any of them; beside `target` a `zone` of it), `touching {object, target}`, `upright
//! {object, axis, max_tilt_rad}` (`axis`: as an object's `upright`; `z`), `apart {object, target, xy_m, dz_m}` (ranges of the distance seen
//! from above, and of the difference in height), `displaced {object, direction, min_m}`
//! (`direction`: two or three numbers; without it, any), `displaced_by {object, by_m,
//! tolerance_m}` (`by_m`: along x and y), `inserted {object, target,
//! min_depth_m, max_aside_m}` or `inserted {object, target, depth_m, tolerance_m,
//! max_angle_rad}`, `joints_at_home
//! {tolerance_rad}`, `joint_at {object, min, max}` (how far a drawer is open, m), `unmoved {objects, tolerance_m}` (`objects: others` for all that
//! no other condition names), `untouched {except}` (the robot touched nothing but these,
//! at any time, and what it held only what it stood on), `released {object,
//! min_distance_m}`, `static {object,
//! max_linear_m_per_s, max_angular_rad_per_s}`, `robot_static {max_rad_per_s}`, `pressed {object,
//! times}` (how many presses a button registered; 1), `contains {container, what, at_least}`
//! and `spilled {what, at_most}` (parts, from 0 to 1, of a group of beads), `visited {object,
//! targets}` (in the hand, it touched each of these, for the first time in this order) and
//! `avoided {object, targets}` (it never touched any of them so), `held_for {seconds,
//! condition}` (it goes on holding for so long after the end), `predicates` (the goal of another
//! benchmark, tested exactly as that tests it), and `all`, `any`, `not`.
//! [`Success`] says what each means; each is one file in `crates/core/ground-truth/src/success`.
//!
//! [`Success`]: regrasp_ground_truth::Success
//!
//! `faults`, in a task or in a scene, is a list of what goes wrong on purpose, random by the
//! episode's seed: each entry is a kind, or `kind: {field: value}`, as `--fault` takes it.
//! [`Fault`](regrasp_faults::Fault) says what each means; a task's come after its scene's.
//!
//! ```yaml
//! faults:
//!   - nudged: {object: red_cube, distance_m: 0.05}   # as the fingers close
//!   - gripper_stuck: {for_secs: 0.5}
//!   - skill_fails: {skill: pick, probability: 0.3}
//! ```
//!
//! **A robot file** holds what a URDF has no word for; the Panda's is the example.
//!
//! `assets/schemas` ([`schema`]) has JSON schemas of tasks, scenes, robots and results for
//! editors; a test compares them with what is read here.
//!
//! # The libraries behind it
//!
//! This is the only crate that knows them, as far as these files go.
//!
//! - `serde-saphyr` 2.1 parses the YAML: maintained, no unsafe code, panic-free by
//!   design, bounded against inputs that explode, and its `Spanned` gives every value
//!   its line (`serde_yaml` is archived and knows lines only for syntax errors).
//! - parry tells how deep shapes overlap and lets things sink onto what they stand on; the
//!   simulator's own geometry, so that both agree.
//! - `png` reads the images on surfaces, indexed ones and those with opacity too.
//! - `exmex` evaluates the formulas over drawn values: maintained, small, and its errors
//!   say what cannot be read.

mod approval;
mod arm;
mod articulated;
mod beads;
mod builtin;
mod cameras;
mod colors;
mod conditions;
mod defs;
mod drawn;
mod draws;
mod error;
mod faults;
mod fields;
mod geometry;
mod identity;
mod inertia;
mod instance;
mod keys;
mod kinds;
mod layout;
mod mesh;
mod object;
mod overlaps;
mod placement;
mod ports;
mod presets;
mod reader;
mod robot;
mod scene_file;
#[cfg(test)]
mod schema_of_success;
#[cfg(test)]
mod schema_tests;
mod schemas;
mod shapes;
mod source;
mod surroundings;
mod task;
mod task_file;
mod truth;
mod types;
mod yaml;

pub use builtin::{
    BUILTIN_ROBOTS, builtin_robot, builtin_robot_named, builtin_scene, builtin_scene_names,
    builtin_task, builtin_task_names, find_task, suite_task_names,
};
pub use colors::{color_word, rgba};
pub use drawn::{Texture, Visual, read_texture};
pub use error::{Problem, SceneError};
pub use faults::{FaultSpecError, fault_from_text};
pub use geometry::{drop_distance, overlap_depth};
pub use identity::{ContentHashes, IDENTITY_VERSION};
pub use presets::{PresetError, preset, preset_names};
pub use robot::load_robot;
pub use scene_file::load_scene;
pub use schemas::{schema, schema_names};
pub use task::{KeptStart, Task, TaskInstance};
pub use task_file::load_task;
pub use types::{
    ArmRange, GripperFile, Inertial, Motor, RobotFile, Scene, SceneCamera, SceneJoint, SceneObject,
    Spring,
};
