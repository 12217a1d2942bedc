//! `regrasp check`: reads a file and reports its errors.

use std::path::Path;

use regrasp::api::{Failure, MotionPlanner, ObjectId, Percept, Pose, Reason, ToolTarget};
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::kinematics::{Link, Linkage, RobotModel};
use regrasp::mesh::{MOST_OUTSIDE, read_text};
use regrasp::motion::{COVERED_M, LinkCoverage, coverage};
use regrasp::robot::{Robot, Skill};
use regrasp::scene::{Scene, builtin_scene_names, find_task, load_robot};
use regrasp::sim::{SimOptions, SimWorld};
use regrasp::skills::{Pick, PickArgs, grasp_phases, grasps};
use regrasp::{EpisodeOptions, LoadedRobot, SetupError, StartCollision, load_model};

use crate::mjcf;
use crate::settings::knows_skills;
use crate::{CliError, ExitCode, Result, RobotArguments, find_scene, say};

/// Checks a file; of a task or scene also that it comes to rest and that the arm reaches objects.
pub(super) fn check(file: &Path, seed: u64, robot: &RobotArguments) -> Result<ExitCode> {
    if file.is_dir() {
        return mjcf::check_folder(file);
    }
    if mjcf::is_model(file) {
        return mjcf::check(file);
    }
    let name = file.to_string_lossy();
    let text = match file.exists() {
        true => read_text(file).map_err(CliError::reading(&file))?,
        false => String::new(),
    };
    let has_key = |key: &str| text.lines().any(|line| line.starts_with(key));
    if ["urdf:", "links:", "gripper:"].into_iter().any(has_key) {
        check_robot(file)?;
        return Ok(ExitCode::Ok);
    }
    let is_task = match file.exists() {
        true => has_key("prompt:") || has_key("success:"),
        false => !builtin_scene_names().contains(&name.as_ref()),
    };
    if is_task {
        let task = find_task(&name, &robot.load()?)?.instantiate(seed)?;
        let (task_name, prompt) = (&task.name, &task.prompt);
        say(&format!(
            "{name}: task `{task_name}`, seed {seed}: \"{prompt}\""
        ));
        check_faults(&task.scene)?;
        print_meshes(&task.scene);
        let needed: Vec<ObjectId> = task.success.moved().into_iter().cloned().collect();
        let loaded = LoadedRobot::new(robot.load()?)?;
        let (misses, at_rest) = in_the_world(&loaded, &task.scene, &needed)?;
        let missed = misses && task.expected_failure.is_none();
        return Ok(exit_code(missed || !at_rest));
    }
    let scene = find_scene(&name, &robot.load()?, seed)?;
    say(&format!("{name}: scene `{}`", scene.name));
    check_faults(&scene)?;
    print_meshes(&scene);
    let (_, at_rest) = in_the_world(&LoadedRobot::new(robot.load()?)?, &scene, &[])?;
    Ok(exit_code(!at_rest))
}

/// Checks that a robot file can be simulated and prints what was found.
pub(super) fn check_robot(file: &Path) -> Result<()> {
    let name = file.display().to_string();
    let robot_file = load_robot(file)?;
    let named = |error: SetupError| match error {
        SetupError::Scene(error) => CliError::from(error),
        error => CliError::file(format_args!("check {name}: {error}")),
    };
    let model = load_model(&robot_file).map_err(named)?;
    let loaded = LoadedRobot::new(robot_file).map_err(named)?;
    let width_m = loaded.file().gripper.max_width_m;
    let empty = Scene::new("empty", Pose::identity(), width_m, vec![]);
    SimWorld::new(loaded.model(), loaded.file(), &empty, SimOptions::default())
        .map_err(|error| named(error.into()))?;
    knows_skills(&loaded.file().approval)?;
    if let Some(linkage) = model.linkage() {
        say(&format!("  {}", described(linkage)));
    }
    if let held @ [first, ..] = model.held() {
        say(&format!(
            "  {} joint(s) of neither the arm nor the hand are held still, such as `{first}`",
            held.len()
        ));
    }
    let n_warnings = warn_of_uncovered(&model) + warn_of_inertias(&model);
    let robot = &loaded.file().name;
    say(&match n_warnings {
        0 => format!("{name}: robot `{robot}` is fine"),
        n => format!("{name}: robot `{robot}` can be used, with {n} warning(s)"),
    });
    Ok(())
}

/// Description of a hand with turning fingers, and of the simplifications in its model.
fn described(linkage: &Linkage) -> String {
    let table = &linkage.drive_by_width;
    let ends = table.first().zip(table.last());
    let ([closed_m, closed], [open_m, open]) =
        ends.map_or_else(Default::default, |(a, b)| (*a, *b));
    format!(
        "hand: joint `{}` moves the pads from {:.1} to {:.1} mm apart as it goes from {closed:.3} \
         to {open:.3}, and presses with {:.1} N or more; the model has sliding fingers: it ignores \
         that the pads reach up to {:.1} mm less far and turn by {:.1} degrees",
        linkage.drive,
        1e3 * closed_m,
        1e3 * open_m,
        linkage.force_n,
        1e3 * linkage.shorter_m,
        linkage.tilt_rad.to_degrees(),
    )
}

/// Warns of each link whose visual geometry extends beyond its collision shapes: there the arm may
/// touch obstacles although its paths seem free. Returns the number of warnings.
fn warn_of_uncovered(model: &RobotModel) -> usize {
    let mut n_warnings = 0;
    for LinkCoverage {
        link, uncovered, ..
    } in coverage(model)
    {
        let warning = match uncovered {
            None => "it has visual geometry but no collision shape".to_owned(),
            Some(out) if out.by_m > COVERED_M => {
                let [x, y, z] = out.at_in_link;
                format!(
                    "its visual geometry extends beyond its collision shapes by up to {:.1} mm, at \
                     ({x:.3}, {y:.3}, {z:.3}) in its frame; {:.0} % of the surface is more than \
                     {:.0} mm outside",
                    1e3 * out.by_m,
                    100.0 * out.share,
                    1e3 * COVERED_M
                )
            }
            Some(_) => continue,
        };
        n_warnings += 1;
        say(&format!("  warning: link `{link}`: {warning}"));
    }
    n_warnings
}

/// Relative and absolute rounding of moments of inertia, the latter in kg m².
const ROUNDED: f64 = 0.01;
const ROUNDED_KG_M2: f64 = 1e-6;

/// Warns of each link with an inertia that no body has: a principal moment of a body is at most the
/// sum of the other two. Returns the number of warnings.
fn warn_of_inertias(model: &RobotModel) -> usize {
    let is_impossible = |link: &&Link| {
        let moments = link.inertial.as_ref();
        let moments = moments.map(|inertial| inertial.inertia.symmetric_eigenvalues());
        moments.is_some_and(|m| 2.0 * m.max() > m.sum() * (1.0 + ROUNDED) + ROUNDED_KG_M2)
    };
    let links: Vec<_> = model.links().iter().filter(is_impossible).collect();
    for Link { name, .. } in &links {
        say(&format!(
            "  warning: link `{name}`: no body can have its inertia: one principal moment is \
             greater than the sum of the other two"
        ));
    }
    links.len()
}

fn exit_code(is_wrong: bool) -> ExitCode {
    if is_wrong {
        ExitCode::BadFile
    } else {
        ExitCode::Ok
    }
}

/// Distance of a mesh's origin from the middle of its bounding box above which it is reported, m:
/// the tolerance of most places.
const OFF_CENTER_M: f64 = 0.01;

/// Rejects faults with which an episode could not begin, such as those of unknown skills.
fn check_faults(scene: &Scene) -> Result<()> {
    let options = EpisodeOptions {
        skills: crate::skills::skills(),
        ..EpisodeOptions::default()
    };
    let options = options.with_faults(&scene.faults);
    options
        .map(drop)
        .map_err(|error| SetupError::from(error).into())
}

fn print_meshes(scene: &Scene) {
    for object in &scene.objects {
        let Some(mesh) = &object.mesh_report else {
            continue;
        };
        let size = object.shape.aabb(&Pose::identity()).size();
        let size = size.map(|m| (1e4 * m).round() / 10.0);
        say(&format!(
            "  {}: mesh of {} triangles, {}, {} x {} x {} mm, {:.1} cm³, {}; {} convex \
             part{}, {:.1} % of their volume outside the mesh, {:.1} % of the mesh not covered",
            object.id,
            mesh.n_triangles,
            if mesh.is_closed { "closed" } else { "open" },
            size.x,
            size.y,
            size.z,
            mesh.volume_m3 * 1e6,
            object
                .mass_kg
                .map_or("fixed".to_owned(), |kg| format!("{kg:.4} kg")),
            mesh.n_parts,
            if mesh.n_parts == 1 { "" } else { "s" },
            100.0 * mesh.outside,
            100.0 * mesh.missing,
        ));
        let off_m = object.shape.aabb(&Pose::identity()).center().coords.norm();
        if off_m > OFF_CENTER_M {
            say(&format!(
                "    warning: its origin, from which positions are measured, is {off_m:.3} m \
                 from the middle of its bounding box; `center: true` moves it there"
            ));
        }
        for repair in &mesh.repairs {
            say(&format!("    repaired: {repair}"));
        }
        if mesh.is_far_off() {
            say(&format!(
                "    warning: more than {:.0} % of the parts' volume is outside the mesh; contacts \
                 will be reported away from its surface",
                100.0 * MOST_OUTSIDE
            ));
        }
    }
}

/// Motion during settling above which an object is reported, m and rad.
const SETTLED_M: f64 = 0.01;
const SETTLED_RAD: f64 = 0.1;

/// Prints why the scene does not come to rest, which objects move before, and whether the arm can
/// pick each loose object. Returns two flags: the arm cannot start, or cannot pick an object in
/// `needed`; everything comes to rest by itself.
fn in_the_world(loaded: &LoadedRobot, scene: &Scene, needed: &[ObjectId]) -> Result<(bool, bool)> {
    if !can_start(loaded, scene) {
        // A simulator would push interpenetrating bodies apart violently.
        return Ok((true, false));
    }
    let cell = loaded.cell(scene, SimOptions::default(), NoiseOptions::default())?;
    let at_rest = cell.sim()?.unrest.is_none();
    if let Some(unrest) = &cell.sim()?.unrest {
        say(&format!("  NOT at rest: {unrest}"));
    }
    warn_of_light_objects(scene);
    let mut robot = cell.robot;
    let percept = robot.perceive().unwrap_or_default();
    for object in scene.objects.iter().filter(|o| o.group.is_none()) {
        let Some(seen) = percept.object(&object.id) else {
            continue;
        };
        let (placed, now) = (&object.world_from_object, &seen.world_from_object);
        let moved = now.translation.vector - placed.translation.vector;
        let turned_rad = now.rotation.angle_to(&placed.rotation);
        if moved.norm() > SETTLED_M || turned_rad > SETTLED_RAD {
            say(&format!(
                "  warning: {} moved by {:.3} m (z by {:.3} m) and turned by {:.0} degrees before \
                 it came to rest",
                object.id,
                moved.norm(),
                moved.z,
                turned_rad.to_degrees()
            ));
        }
    }
    let mut missed = false;
    let is_loose = |id: &ObjectId| percept.joint_of(id).is_none();
    for id in percept.movable_ids().into_iter().filter(is_loose) {
        let verdict = reach(&mut robot, &percept, &id);
        missed |= verdict.is_err() && needed.contains(&id);
        match verdict {
            Ok(()) => say(&format!("  {id}: reachable")),
            Err(why) => say(&format!("  {id}: NOT reachable: {why}")),
        }
    }
    Ok((missed, at_rest))
}

/// Smallest mass that simulated fingers hold, kg. Contacts yield by the force over the mass: with
/// 20 N, pads sink 1.6 mm into each side of an object of 2 g, and let it slip or pass through it at
/// about 1.5 g.
const LEAST_HELD_KG: f64 = 2e-3;

fn warn_of_light_objects(scene: &Scene) {
    for object in &scene.objects {
        if let Some(mass_kg) = object.mass_kg.filter(|kg| *kg < LEAST_HELD_KG)
            && object.group.is_none()
        {
            say(&format!(
                "  warning: {} has a mass of {:.3} g: simulated fingers slip off or pass through \
                 objects of less than {:.0} g",
                object.id,
                1e3 * mass_kg,
                1e3 * LEAST_HELD_KG
            ));
        }
    }
}

/// Prints the arm's mount and the collisions of its links. Returns true if none of them is fatal.
fn can_start(loaded: &LoadedRobot, scene: &Scene) -> bool {
    if let Some(mount) = &scene.mount {
        say(&format!("  arm: fixed to {mount}"));
    }
    let collisions = loaded.start_collisions(scene);
    for collision in &collisions {
        let what = ["warning", "error"][usize::from(collision.is_fatal())];
        say(&format!("  {what}: {collision}"));
    }
    !collisions.iter().any(StartCollision::is_fatal)
}

/// Returns `Ok` if `pick` accepts the object and all phases of some grasp are reachable, else why
/// `pick` refuses it, or the first unreachable phase of the grasp that gets furthest.
fn reach(robot: &mut Robot, percept: &Percept, id: &ObjectId) -> Result<(), String> {
    let Some(object) = percept.object(id) else {
        return Err("it was not perceived".into());
    };
    let why = |failure: Failure| failure.detail.to_string();
    let call = PickArgs {
        object: id.to_string(),
        then: None,
        force_n: None,
    };
    // A covered object can be picked after the objects on it are removed.
    match Pick.precondition(robot, &call) {
        Err(failure) if failure.reason != Reason::ObjectCovered => return Err(why(failure)),
        _ => {}
    }
    let now = robot.observe().map_err(why)?;
    let grasps = grasps(object, &robot.info.gripper, 0.0).map_err(why)?;
    let mut furthest: Option<(usize, String)> = None;
    for grasp in &grasps {
        let stopped = grasp_phases(grasp)
            .into_iter()
            .enumerate()
            .find_map(|(i, (phase, pose))| {
                let target = ToolTarget::Pose(pose);
                let reached = MotionPlanner::inverse(
                    &*robot.motion,
                    &now.world_from_base,
                    &target,
                    &robot.info.home,
                );
                reached
                    .err()
                    .map(|failure| (i, format!("{phase}: {failure}")))
            });
        match stopped {
            None => return Ok(()),
            Some(stop) if furthest.as_ref().is_none_or(|(i, _)| stop.0 > *i) => {
                furthest = Some(stop)
            }
            Some(_) => {}
        }
    }
    Err(furthest.map_or_else(|| "no grasp was found".into(), |(_, why)| why))
}
