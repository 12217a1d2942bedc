//! Observations.

use nalgebra::{Quaternion, Vector3};
use regrasp::api::{CameraView, Pose};
use regrasp::ground_truth::{Frame, GroundTruth};
use regrasp::{LoadedRobot, SceneView, SetupError};

use crate::episode::Episode;
use crate::{EnvError, EnvOptions, Layout, ObsMode, Result};

/// Observation of an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Observed {
    /// [`Layout::state_names`] in the modes with state, [`Layout::agent_names`] otherwise.
    pub numbers: Vec<f32>,
    /// Pictures of the selected cameras in order; none in [`ObsMode::State`].
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
    pub(crate) fn observed(&mut self, layout: &Layout, options: &EnvOptions) -> Result<Observed> {
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
    ) -> Result<Picture> {
        if self.view.is_none() {
            self.view = Some(SceneView::new(loaded, &self.instance.scene)?);
        }
        let Some(view) = &self.view else {
            return Err(EnvError::NOT_RESET);
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
    ) -> Result<Vec<f32>> {
        let now = self.cell.robot.observe()?;
        let felt = Felt {
            joints: [&now.joint_positions, &now.joint_velocities],
            width_m: now.gripper.width_m,
            finger_contact: now.gripper.finger_contact.unwrap_or_default(),
        };
        let mut numbers = felt.numbers(truth);
        if let Some((servo_goal, _)) = &self.servo_goal {
            let point = servo_goal.world_from_point(&mut self.cell.robot)?;
            numbers.extend(pose(&point));
        }
        if with_objects {
            numbers.extend(layout.surroundings(truth));
        }
        if layout.has_goal {
            numbers.extend(self.instance.goal.unwrap_or_default());
        }
        Ok(narrow(&numbers))
    }
}

impl Layout {
    /// Returns the state ([`Layout::state_names`]) of a recorded world, from a frame and the ground
    /// truth of the same instant.
    pub fn state(&self, frame: &Frame, truth: &GroundTruth, goal: Option<[f64; 3]>) -> Vec<f32> {
        let felt = Felt {
            joints: [&frame.joints.position, &frame.joints.velocity],
            width_m: frame.gripper.width_m,
            finger_contact: frame.gripper.finger_contact,
        };
        let mut numbers = felt.numbers(truth);
        numbers.extend(self.surroundings(truth));
        if self.has_goal {
            numbers.extend(goal.unwrap_or_default());
        }
        narrow(&numbers)
    }

    /// Returns the numbers of the objects and of the joints between them.
    fn surroundings(&self, truth: &GroundTruth) -> Vec<f64> {
        let tool = truth.world_from_tool.translation.vector;
        let mut numbers = vec![];
        for id in &self.objects {
            let Some(object) = truth.object(id) else {
                // The object was removed.
                numbers.extend([0.0; 10]);
                continue;
            };
            numbers.extend(pose(&object.world_from_object));
            let from_tool: Vector3<f64> = object.world_from_object.translation.vector - tool;
            numbers.extend(from_tool.iter());
        }
        for id in &self.joints {
            let joint = truth.joints.iter().find(|joint| &joint.id == id);
            numbers.push(joint.map_or(0.0, |joint| joint.opening));
        }
        numbers
    }
}

/// Proprioceptive measurements.
struct Felt<'a> {
    /// Positions, rad or m, and velocities, rad/s or m/s.
    joints: [&'a [f64]; 2],
    width_m: f64,
    finger_contact: [bool; 2],
}

impl Felt<'_> {
    fn numbers(&self, truth: &GroundTruth) -> Vec<f64> {
        let mut numbers = self.joints.concat();
        numbers.push(self.width_m);
        numbers.extend(
            self.finger_contact
                .map(|touches| f64::from(u8::from(touches))),
        );
        numbers.extend(pose(&truth.world_from_tool));
        numbers
    }
}

fn narrow(numbers: &[f64]) -> Vec<f32> {
    numbers.iter().map(|number| *number as f32).collect()
}

fn seen_from(
    view: &SceneView,
    name: &str,
    truth: &GroundTruth,
    [width, height]: [u32; 2],
) -> Result<CameraView> {
    let seen = view.view(name, &truth.joint_positions, truth.gripper_width_m);
    let seen = seen.map_err(SetupError::from)?;
    Ok(CameraView {
        intrinsics: seen.intrinsics.resized(width, height),
        ..seen
    })
}

/// Returns the position, m, then the quaternion x, y, z, w. Of the two quaternions of a rotation,
/// takes the one whose component of largest magnitude is positive. With w >= 0 instead, x, y and z
/// would often change their signs while the hand points down, where w is about zero.
fn pose(of: &Pose) -> [f64; 7] {
    let p = of.translation.vector;
    let q: Quaternion<f64> = *of.rotation.quaternion();
    let q = if q.coords[q.coords.iamax()] < 0.0 {
        -q
    } else {
        q
    };
    [p.x, p.y, p.z, q.i, q.j, q.k, q.w]
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn the_numbers_of_a_hand_that_points_down_do_not_jump() {
        let tilted = |tilt: f64| {
            pose(&Pose::new(
                Vector3::zeros(),
                Vector3::new(PI + tilt, 0.0, 0.0),
            ))
        };
        let (one_side, other_side) = (tilted(-1e-3), tilted(1e-3));
        let pairs = one_side.iter().zip(other_side);
        let furthest = pairs.fold(0.0, |most, (a, b)| f64::max(most, (a - b).abs()));
        assert!(furthest < 2e-3, "{one_side:?} and {other_side:?}");
    }
}
