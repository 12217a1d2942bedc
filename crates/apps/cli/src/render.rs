//! `regrasp render`: picture of a scene at rest.

use regrasp::ground_truth_perception::NoiseOptions;
use regrasp::render::{Detail, SoftwareRenderer};
use regrasp::sim::SimOptions;
use regrasp::{LoadedRobot, SceneView};

use crate::arguments::RenderArguments;
use crate::{CliError, ExitCode, Result, complain, find_scene, say};

pub(super) fn render(arguments: &RenderArguments) -> Result<ExitCode> {
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
