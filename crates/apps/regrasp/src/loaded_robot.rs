//! Robot that is loaded and checked.

use std::path::Path;
use std::sync::Arc;
use std::sync::OnceLock;

use nalgebra::Translation3;
use regrasp_api::{Finger, GripperInfo, MotionPlanner, Observation, Pose, RobotInfo, Shape};
use regrasp_kinematics::{Chain, GripperError, GripperLinks, MeshSearch, RobotModel};
use regrasp_motion::{ArmPlanner, ArmPlannerError, JointLimits};
use regrasp_render::RobotLooks;
use regrasp_scene::{RobotFile, Scene};

use crate::error::SetupError;

/// Robot that is loaded and checked; makes any number of cells.
#[derive(Clone, Debug)]
pub struct LoadedRobot {
    file: RobotFile,
    model: RobotModel,
    planner: ArmPlanner,
    info: RobotInfo,
    /// Looks of the robot, created at the first use.
    looks: Arc<OnceLock<RobotLooks>>,
}

/// Loads links and joints of the robot that a robot file describes.
///
/// # Errors
///
/// [`SetupError`] if its URDF or a mesh in it cannot be loaded, if the arm's joints differ from
/// those in the file, or if skills cannot use its hand.
pub fn load_model(file: &RobotFile) -> Result<RobotModel, SetupError> {
    let mut meshes = MeshSearch {
        package_paths: file.package_paths.clone(),
        ..MeshSearch::default()
    };
    let model = match &file.urdf_text {
        None => RobotModel::load(&file.urdf, &meshes)?,
        Some(text) => {
            meshes.built_in = regrasp_assets::FILES;
            let folder = file.urdf.parent().unwrap_or(Path::new(""));
            RobotModel::from_urdf_str(text, folder, &meshes)?
        }
    };
    let model = match file.hand_from_tool {
        None => model,
        Some(pose) => model.with_frame(&file.tool_link, &file.hand_link, pose)?,
    };
    let chain = model.chain(&file.base_link, &file.tool_link)?;
    let hand = (!file.gripper.finger_joints.is_empty()).then_some(file.hand_link.as_str());
    let driven = [&file.arm_joints[..], &file.gripper.finger_joints].concat();
    let model = model.with_others_held(&driven, hand);
    let range = &file.range;
    let joints = file.arm_joints.iter().enumerate();
    let model = joints.fold(model, |model, (i, joint)| {
        let given = |values: &Option<Vec<f64>>| values.as_ref().and_then(|v| v.get(i)).copied();
        model.with_limits(joint, |limits| {
            limits.lower = given(&range.lower_rad).unwrap_or(limits.lower);
            limits.upper = given(&range.upper_rad).unwrap_or(limits.upper);
            limits.velocity = given(&range.max_velocity_rad_per_s).unwrap_or(limits.velocity);
        })
    });
    file.check_joints(chain.joint_names())?;
    model.check_arm(&file.arm_joints, &file.urdf)?;
    if model.link_idx(&file.flange_link).is_none() {
        let link = file.flange_link.clone();
        return Err(GripperError::NoSuchLink { link }.into());
    }
    Ok(model.with_sliding_fingers(&gripper_links(file))?)
}

fn planner(
    file: &RobotFile,
    model: &RobotModel,
    chain: Chain,
) -> Result<ArmPlanner, ArmPlannerError> {
    let limits = chain.limits().iter();
    let limits = limits.zip(&file.max_acceleration).zip(&file.max_jerk);
    let limits = limits.map(|((joint, acceleration), jerk)| JointLimits {
        lower: joint.lower,
        upper: joint.upper,
        velocity: joint.velocity,
        acceleration: *acceleration,
        jerk: *jerk,
    });
    let limits = limits.collect();
    ArmPlanner::new(
        model,
        chain,
        limits,
        file.home.clone(),
        &file.gripper.finger_joints,
        &file.tip_links(),
    )
}

fn gripper_links(file: &RobotFile) -> GripperLinks<'_> {
    let gripper = &file.gripper;
    GripperLinks {
        robot: &file.name,
        tool: &file.tool_link,
        hand: &file.hand_link,
        fingers: &gripper.finger_links,
        finger_joints: &gripper.finger_joints,
        width_m: [gripper.min_width_m, gripper.max_width_m],
    }
}

/// Facts about the gripper for skills, or about the tool that the arm carries instead of one.
fn gripper_info(model: &RobotModel, file: &RobotFile) -> Result<GripperInfo, GripperError> {
    let gripper = &file.gripper;
    let geometry = model.gripper_geometry(&gripper_links(file))?;
    let fingers = geometry.fingers.into_iter().map(|finger| Finger {
        parts: finger.parts,
        opening: (0.5 * finger.axis_in_tool).into(),
    });
    Ok(GripperInfo {
        min_width_m: gripper.min_width_m,
        max_width_m: gripper.max_width_m,
        default_force_n: gripper.default_force_n,
        pad_friction: gripper.pad_friction,
        max_force_n: gripper.max_force_n,
        default_speed_m_per_s: gripper.default_speed_m_per_s,
        max_payload_kg: Some(gripper.max_payload_kg),
        fingertip_beyond_tool_m: geometry.fingertip_beyond_tool_m,
        finger_length_m: geometry.finger_length_m,
        pad_width_m: geometry.pad_width_m,
        finger_links: file.tip_links(),
        hand: geometry.hand,
        fingers: fingers.collect(),
    })
}

impl LoadedRobot {
    /// Loads a robot and checks its robot file against the URDF.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the URDF cannot be loaded or does not fit the robot file.
    pub fn new(file: RobotFile) -> Result<Self, SetupError> {
        let model = load_model(&file)?;
        let chain = model.chain(&file.base_link, &file.tool_link)?;
        let info = RobotInfo {
            name: file.name.clone(),
            joint_names: chain.joint_names().to_vec(),
            home: file.home.clone(),
            named_poses: file.named_poses.clone(),
            gripper: gripper_info(&model, &file)?,
            monitors: file.monitors,
            reach_m: chain.reach_m(),
            workspace: file.workspace_in_base,
            // The wrist camera belongs to the scene.
            tool_from_wrist_camera: None,
        };
        let planner = planner(&file, &model, chain)?;
        Ok(Self {
            file,
            model,
            planner,
            info,
            looks: Arc::default(),
        })
    }

    /// Loads the built-in Franka Panda.
    ///
    /// # Errors
    ///
    /// The errors of [`LoadedRobot::new`]; a test checks that there are none.
    pub fn panda() -> Result<Self, SetupError> {
        Self::new(regrasp_scene::builtin_robot()?)
    }

    /// Returns the robot with a planner that keeps this margin to the joint limits, rad, for a real
    /// arm that rejects motions near them.
    ///
    /// # Errors
    ///
    /// The errors of [`LoadedRobot::new`].
    pub fn with_joint_margin(&self, margin_rad: f64) -> Result<Self, SetupError> {
        let chain = self
            .model
            .chain(&self.file.base_link, &self.file.tool_link)?;
        let planner = planner(&self.file, &self.model, chain.narrowed(margin_rad))?;
        Ok(Self {
            planner,
            ..self.clone()
        })
    }

    /// The robot file.
    pub fn file(&self) -> &RobotFile {
        &self.file
    }

    /// Kinematics and geometry.
    pub fn model(&self) -> &RobotModel {
        &self.model
    }

    /// Motion planning for the arm.
    pub fn arm_planner(&self) -> &ArmPlanner {
        &self.planner
    }

    /// Visual geometry of the robot, created at the first call.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot file names something that the URDF does not have.
    pub fn looks(&self) -> Result<RobotLooks, SetupError> {
        if let Some(looks) = self.looks.get() {
            return Ok(looks.clone());
        }
        let gripper = &self.file.gripper;
        let looks = RobotLooks::new(
            &self.model,
            &self.file.base_link,
            &self.info.joint_names,
            &gripper.finger_joints,
            gripper.min_width_m,
        )?;
        Ok(self.looks.get_or_init(|| looks).clone())
    }

    /// Constant facts about the robot with its base at `world_from_base`.
    pub fn info(&self, world_from_base: &Pose) -> RobotInfo {
        let workspace = self.info.workspace;
        let half_extents = (0.5 * workspace.size()).into();
        let center = Pose::from(Translation3::from(workspace.center().coords));
        RobotInfo {
            workspace: Shape::Box { half_extents }.aabb(&(world_from_base * center)),
            ..self.info.clone()
        }
    }

    /// Returns the forward kinematics: pose of the tool, the point between the fingertips, in
    /// World.
    pub fn world_from_tool(&self) -> impl Fn(&Observation) -> Pose + Send + 'static {
        let arm = self.planner.clone();
        move |now| now.world_from_base * arm.base_from_tool(&now.joint_positions)
    }

    /// Function from the arm's joint positions to the pose of the tool point in the frame of the
    /// arm's base.
    pub fn base_from_tool(&self) -> impl Fn(&[f64]) -> Pose + Send + 'static {
        let arm = self.planner.clone();
        move |joints| arm.base_from_tool(joints)
    }

    /// Pose of the scene's camera `wrist` in the tool frame; `None` without such a camera, or if it
    /// moves relative to the tool.
    pub(crate) fn wrist_camera(&self, scene: &Scene) -> Option<Pose> {
        let cameras = scene.all_cameras(&self.file);
        let camera = cameras.iter().find(|camera| camera.name == "wrist")?;
        let (base, tool) = (&self.file.base_link, &self.file.tool_link);
        let to_link = self.model.chain(base, camera.link.as_ref()?).ok()?;
        let to_tool = self.model.chain(base, tool).ok()?;
        if to_link.joint_idxs() != to_tool.joint_idxs() {
            return None;
        }
        let home = &self.file.home;
        let tool_from_link = to_tool.forward(home).inverse() * to_link.forward(home);
        Some(tool_from_link * camera.parent_from_camera)
    }
}
