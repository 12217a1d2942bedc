//! Looks of a robot.

use std::sync::Arc;

use nalgebra::Isometry3;
use regrasp_api::Pose;
use regrasp_kinematics::{RobotModel, Visual};
use regrasp_mesh::Surface;

use crate::mesh::{Mesh, of_geometry};
use crate::smooth::melt;
use crate::stage::{Body, Finish, Look, Stage};

/// Longest edge of the bounding box of a part that keeps its sharp edges, m: fingers.
const SMALL_M: f64 = 0.06;
/// Colour of parts without a colour in the URDF: light grey.
const NO_COLOUR: [f64; 4] = [0.7, 0.7, 0.72, 1.0];

/// Surfaces of a robot's links, and their poses for given joint positions.
#[derive(Clone, Debug)]
pub struct RobotLooks {
    model: RobotModel,
    base_link_idx: usize,
    arm_joints: Vec<usize>,
    finger_joints: Vec<usize>,
    min_width_m: f64,
    parts: Vec<Part>,
}

#[derive(Clone, Debug)]
struct Part {
    link_idx: usize,
    mesh: Arc<Mesh>,
    look: Look,
}

/// A name that is not in the URDF.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LooksError {
    /// Unknown link.
    #[error("build the surfaces of the robot: its URDF has no link `{0}`")]
    NoSuchLink(String),
    /// Unknown joint.
    #[error("build the surfaces of the robot: its URDF has no joint `{0}`")]
    NoSuchJoint(String),
}

impl RobotLooks {
    /// Builds the looks from the visuals of a robot. `arm_joints` gives the order of later joint
    /// positions. Every finger joint travels half of the gripper's width, from its lower limit at
    /// `min_width_m`.
    ///
    /// # Errors
    ///
    /// [`LooksError`] if a name is unknown.
    pub fn new(
        model: &RobotModel,
        base_link: &str,
        arm_joints: &[String],
        finger_joints: &[String],
        min_width_m: f64,
    ) -> Result<Self, LooksError> {
        let joint = |name: &String| {
            let idx = model.joint_idx(name);
            idx.ok_or_else(|| LooksError::NoSuchJoint(name.clone()))
        };
        let links = model.links().iter().enumerate();
        let parts = links.flat_map(|(link_idx, link)| parts_of(link_idx, &link.visuals));
        Ok(Self {
            base_link_idx: model
                .link_idx(base_link)
                .ok_or_else(|| LooksError::NoSuchLink(base_link.to_owned()))?,
            arm_joints: arm_joints.iter().map(joint).collect::<Result<_, _>>()?,
            finger_joints: finger_joints.iter().map(joint).collect::<Result<_, _>>()?,
            min_width_m,
            parts: parts.collect(),
            model: model.clone(),
        })
    }

    /// Pose of every link in World, in the order of the URDF's links.
    pub fn world_from_links(
        &self,
        world_from_base: &Pose,
        joint_positions: &[f64],
        gripper_width_m: f64,
    ) -> Vec<Pose> {
        let mut q = vec![0.0; self.model.joints().len()];
        for (joint, position) in self.arm_joints.iter().zip(joint_positions) {
            q[*joint] = *position;
        }
        for joint in &self.finger_joints {
            let lower = self.model.joints()[*joint].limits.lower;
            q[*joint] = lower + 0.5 * (gripper_width_m - self.min_width_m);
        }
        let root_from_link: Vec<Isometry3<f64>> = self.model.link_poses(&q);
        let world_from_root = world_from_base * root_from_link[self.base_link_idx].inverse();
        let poses = root_from_link.iter();
        poses.map(|pose| world_from_root * pose).collect()
    }

    /// Names of the arm's joints, in the order of the joint positions.
    pub fn joint_names(&self) -> Vec<String> {
        let joints = self.arm_joints.iter();
        let name = |idx: &usize| self.model.joints()[*idx].name.clone();
        joints.map(name).collect()
    }

    /// Name of every link and index of its parent (`None` for the root), in the order of the URDF.
    pub fn links(&self) -> impl ExactSizeIterator<Item = (&str, Option<usize>)> {
        let links = self.model.links().iter().enumerate();
        links.map(|(idx, link)| {
            let joint = self.model.parent_joint_idx(idx);
            let parent = joint.map(|joint| self.model.joints()[joint].parent_link_idx);
            (link.name.as_str(), parent)
        })
    }

    /// Index of a link by name.
    pub fn link_idx(&self, name: &str) -> Option<usize> {
        self.model.link_idx(name)
    }

    /// Adds the robot to a stage; every visible link is an instance of its own.
    pub fn add_to(&self, stage: &mut Stage, world_from_links: &[Pose]) {
        let mut last = None;
        for part in &self.parts {
            let instance = match last {
                Some((link_idx, instance)) if link_idx == part.link_idx => instance,
                _ => stage.instance(&self.model.links()[part.link_idx].name),
            };
            last = Some((part.link_idx, instance));
            stage.bodies.push(Body {
                instance,
                mesh: Arc::clone(&part.mesh),
                look: part.look,
                world_from_body: world_from_links[part.link_idx],
            });
        }
    }
}

fn parts_of(link_idx: usize, visuals: &[Visual]) -> Vec<Part> {
    let mut colours: Vec<[f64; 4]> = Vec::new();
    for visual in visuals {
        let rgba = visual.rgba.unwrap_or(NO_COLOUR);
        if !colours.contains(&rgba) {
            colours.push(rgba);
        }
    }
    let part = |rgba: [f64; 4]| {
        let visuals = visuals.iter();
        let of_colour = visuals.filter(|v| v.rgba.unwrap_or(NO_COLOUR) == rgba);
        let surface = surface_of(&of_colour.collect::<Vec<_>>());
        let [r, g, b, _] = rgba.map(|c| c as f32);
        Part {
            link_idx,
            mesh: Arc::new(Mesh::whole(surface).simplified()),
            look: Look {
                rgb: [r, g, b],
                finish: Finish::Plain,
                gloss: 0.35,
            },
        }
    };
    colours.into_iter().map(part).collect()
}

fn surface_of(visuals: &[&Visual]) -> Surface {
    let mut sharp = Surface::default();
    for visual in visuals {
        sharp.add(&of_geometry(&visual.geometry), &visual.link_from_geometry);
    }
    let bounds = sharp.bounds();
    // Edges are computed from bounds in single precision, as the corners are stored.
    let edges = [0, 1, 2].map(|i| f64::from(bounds.max[i] as f32 - bounds.min[i] as f32));
    if edges.into_iter().fold(0.0, f64::max) <= SMALL_M {
        return sharp;
    }
    melt(visuals).unwrap_or(sharp)
}
