//! `regrasp render`: picture of a scene at rest.

use std::path::Path;

use crate::exit::ExitCode;
use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::render::{Detail, Renderer, SoftwareRenderer};
use regrasp::scene::{
    RobotFile, Scene, SceneError, builtin_scene, builtin_scene_names, find_task, load_scene,
};
use regrasp::sim::SimOptions;
use regrasp::{LoadedRobot, SceneView};

use crate::arguments::RenderArguments;
use crate::error::CliError;
use crate::output::{complain, say};

pub(super) fn render(arguments: &RenderArguments) -> Result<ExitCode, CliError> {
    let robot = arguments.robot.load()?;
    let name = &arguments.scene;
    let scene = match name.ends_with(".bddl") {
        true => {
            let task = arguments.libero.find_one(name, &robot)?;
            task.draw(arguments.seed).map_err(CliError::file)?.scene
        }
        false => find_scene(name, &robot, arguments.seed)?,
    };
    let loaded = LoadedRobot::new(robot)?;
    let view = SceneView::new(&loaded, &scene)?;
    let cell = loaded.cell(&scene, SimOptions::default(), NoiseOptions::default())?;
    if let Some(unrest) = &cell.sim()?.unrest {
        complain(&unrest.to_string());
    }
    let truth = cell.sim()?.truth.truth();
    let (joints, width_m) = (&truth.joint_positions, truth.gripper_width_m);
    let mut camera = view.view(&arguments.camera, joints, width_m)?;
    if let [width, height] = arguments.size.as_slice() {
        camera.intrinsics = camera.intrinsics.resized(*width, *height);
    }
    let stage = view.stage(&truth);
    let pictures = SoftwareRenderer::new(Detail::Fine).render(&stage, &[camera]);
    for picture in &pictures {
        picture.write_png(&arguments.out)?;
        say(&format!("picture: {}", arguments.out.display()));
        if arguments.depth {
            let path = arguments.out.with_extension("depth.png");
            picture.write_depth_png(&path)?;
            say(&format!("depth in millimetres: {}", path.display()));
        }
    }
    Ok(ExitCode::Ok)
}

/// Finds a built-in scene or task by name, or a file of either.
pub(super) fn find_scene(name: &str, robot: &RobotFile, seed: u64) -> Result<Scene, CliError> {
    if builtin_scene_names().contains(&name) {
        return Ok(builtin_scene(name)?);
    }
    let is_file = Path::new(name).is_file();
    // Tries a file as a scene and as a task; reports the task's error only if the file looks like a
    // task.
    let as_scene = is_file.then(|| load_scene(name, robot));
    match as_scene {
        Some(Ok(scene)) => {
            for line in &scene.not_kept {
                complain(&format!("not kept in `{name}`: {line}"));
            }
            return Ok(scene);
        }
        Some(Err(error)) if !looks_like_task(name) => return Err(error.into()),
        _ => {}
    }
    let task = find_task(name, robot).map_err(|error| with_scenes(error, name))?;
    Ok(task.instantiate(seed)?.scene)
}

pub(super) fn looks_like_task(path: &str) -> bool {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines()
        .any(|line| line.starts_with("prompt:") || line.starts_with("success:"))
}

/// Adds the names of scenes to the error, as a scene may have been meant.
fn with_scenes(error: SceneError, wanted: &str) -> SceneError {
    let nearest_scene = match builtin_scene(wanted) {
        Err(SceneError::NotBuiltIn { nearest, .. }) => nearest,
        _ => None,
    };
    match error {
        SceneError::NotBuiltIn {
            name,
            nearest,
            mut known,
            ..
        } => {
            known.extend(builtin_scene_names().into_iter().map(str::to_owned));
            SceneError::NotBuiltIn {
                what: "task or scene",
                name,
                nearest: nearest.or(nearest_scene),
                known,
            }
        }
        other => other,
    }
}
