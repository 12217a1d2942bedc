//! Observations.

use nalgebra::{Quaternion, Vector3};
use regrasp::api::{CameraView, Pose};
use regrasp::ground_truth::GroundTruth;
use regrasp::render::Renderer as _;
use regrasp::{LoadedRobot, SceneView, SetupError};

use crate::episode::Episode;
use crate::{EnvError, EnvOptions, Layout, ObsMode};

/// Observation of an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// Components: [`Layout::state_names`] in the state mode, [`Layout::agent_names`] otherwise.
    pub numbers: Vec<f32>,
    /// Pictures of the selected cameras in order; none in the state mode.
    pub pictures: Vec<Picture>,
}

/// Picture of a camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    /// Camera with its pose.
    pub view: CameraView,
    /// RGB values, row by row from the upper left.
    pub rgb: Vec<u8>,
    /// Depth along the optical axis, m; 0 for the background. Empty unless requested.
    pub depth_m: Vec<f32>,
}

impl Episode {
    pub(crate) fn observed(
        &mut self,
        layout: &Layout,
        options: &EnvOptions,
    ) -> Result<Observed, EnvError> {
        let truth = self.truth.truth();
        let numbers = self.numbers(layout, &truth, options.obs.has_objects())?;
        let mut pictures = vec![];
        if let Some(view) = &self.view {
            let size = options.picture_size;
            let views = options.cameras.iter();
            let views = views.map(|name| seen_from(view, name, &truth, size));
            let views: Vec<_> = views.collect::<Result<_, _>>()?;
            for picture in self.renderer.render(&view.stage(&truth), &views) {
                pictures.push(Picture {
                    view: picture.view.clone(),
                    rgb: picture.rgb.clone(),
                    depth_m: match options.obs {
                        ObsMode::Rgbd => picture.depth_m.clone(),
                        _ => vec![],
                    },
                });
                self.renderer.recycle(picture);
            }
        }
        Ok(Observed { numbers, pictures })
    }

    pub(crate) fn picture(
        &mut self,
        loaded: &LoadedRobot,
        truth: &GroundTruth,
        camera: &str,
        size: [u32; 2],
    ) -> Result<Picture, EnvError> {
        if self.view.is_none() {
            self.view = Some(SceneView::new(loaded, &self.instance.scene)?);
        }
        let Some(view) = &self.view else {
            return Err(EnvError::NotRunning("call `reset` first"));
        };
        let looked = seen_from(view, camera, truth, size)?;
        let stage = view.stage(truth);
        let pictures = self.renderer.render(&stage, std::slice::from_ref(&looked));
        let mut pictures = pictures.into_iter().map(|picture| Picture {
            view: picture.view,
            rgb: picture.rgb,
            depth_m: picture.depth_m,
        });
        let none = EnvError::NotRunning("the camera returned no picture");
        pictures.next().ok_or(none)
    }

    fn numbers(
        &mut self,
        layout: &Layout,
        truth: &GroundTruth,
        with_objects: bool,
    ) -> Result<Vec<f32>, EnvError> {
        let now = self.cell.robot.observe();
        let now = now.map_err(|failure| EnvError::Robot(failure.detail.to_string()))?;
        let mut numbers = Vec::with_capacity(layout.state_names.len());
        let mut add = |values: &[f64]| numbers.extend(values.iter().map(|v| *v as f32));
        add(&now.joint_positions);
        add(&now.joint_velocities);
        add(&[now.gripper.width_m]);
        let felt = now.gripper.finger_contact.unwrap_or_default();
        add(&felt.map(|touches| f64::from(u8::from(touches))));
        add(&pose(&truth.world_from_tool));
        if let Some((servo_goal, _)) = &self.servo_goal {
            let point = servo_goal.world_from_point(&mut self.cell.robot);
            let point = point.map_err(|failure| EnvError::Robot(failure.detail.to_string()))?;
            add(&pose(&point));
        }
        if with_objects {
            let tool = truth.world_from_tool.translation.vector;
            for id in &layout.objects {
                let Some(object) = truth.object(id) else {
                    // The object was removed.
                    add(&[0.0; 10]);
                    continue;
                };
                add(&pose(&object.world_from_object));
                let from_tool: Vector3<f64> = object.world_from_object.translation.vector - tool;
                add(from_tool.as_slice());
            }
            for id in &layout.joints {
                let joint = truth.joints.iter().find(|joint| &joint.id == id);
                add(&[joint.map_or(0.0, |joint| joint.opening)]);
            }
        }
        if layout.has_goal {
            add(&self.instance.goal.unwrap_or_default());
        }
        Ok(numbers)
    }
}

fn seen_from(
    view: &SceneView,
    name: &str,
    truth: &GroundTruth,
    [width, height]: [u32; 2],
) -> Result<CameraView, EnvError> {
    let seen = view.view(name, &truth.joint_positions, truth.gripper_width_m);
    let seen = seen.map_err(SetupError::from)?;
    Ok(CameraView {
        intrinsics: seen.intrinsics.resized(width, height),
        ..seen
    })
}

/// Position, then the quaternion x, y, z, w with w >= 0.
fn pose(of: &Pose) -> [f64; 7] {
    let p = of.translation.vector;
    let q: Quaternion<f64> = *of.rotation.quaternion();
    let q = if q.w < 0.0 { -q } else { q };
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w]
}
