//! Shared parts of the tests: the Panda, small scenes, motions.

use nalgebra::{Isometry3, Translation3, UnitQuaternion, Vector3};
use regrasp_api::{
    GripperCommand, GripperEnd, GripperReport, JointKind, Knot, MotionEnd, MotionReport, ObjectId,
    Observation, Pose, Rewind, Shape, Snapshot, Trajectory, Watch, World,
};
use regrasp_ground_truth::{GroundTruthObject, GroundTruthSource};
use regrasp_kinematics::ik::{self, IkOptions, IkTarget};
use regrasp_kinematics::{Chain, MeshSearch, RobotModel};
use regrasp_scene::{Motor, RobotFile, Scene, SceneJoint, SceneObject};
use regrasp_sim::{Disturbance, SimGroundTruth, SimOptions, SimWorld, When};

/// Pose of the arm's base. It is never the identity, so that a swapped product cannot hide.
pub(crate) fn world_from_base() -> Pose {
    at(-0.1, 0.05, 0.02, 0.1)
}

/// A pose at a point, rotated about the vertical.
pub(crate) fn at(x: f64, y: f64, z: f64, yaw: f64) -> Pose {
    let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), yaw);
    Isometry3::from_parts(Translation3::new(x, y, z), turn)
}

/// A tool pose that points straight down; the fingers close along y when `yaw` is 0.
pub(crate) fn down(x: f64, y: f64, z: f64, yaw: f64) -> Pose {
    let flip = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), std::f64::consts::PI);
    at(x, y, z, yaw) * flip
}

pub(crate) struct Panda {
    pub(crate) model: RobotModel,
    pub(crate) file: RobotFile,
    pub(crate) chain: Chain,
}

pub(crate) fn panda() -> Panda {
    let yaml = regrasp_assets::folder().join("robots/panda/panda.yaml");
    let file = regrasp_scene::load_robot(yaml).expect("the Panda's robot file loads");
    let model =
        RobotModel::load(&file.urdf, &MeshSearch::default()).expect("the Panda's URDF loads");
    let chain = model
        .chain(&file.base_link, &file.tool_link)
        .expect("the arm's chain");
    Panda { model, file, chain }
}

pub(crate) fn object(id: &str, shape: Shape, mass_kg: Option<f64>, pose: Pose) -> SceneObject {
    SceneObject {
        rgba: [0.5, 0.5, 0.5, 1.0],
        mass_kg,
        ..SceneObject::new(ObjectId::new(id), id, shape, pose)
    }
}

pub(crate) fn fixed(id: &str, half_extents: [f64; 3], pose: Pose) -> SceneObject {
    object(id, Shape::Box { half_extents }, None, pose)
}

pub(crate) fn block(id: &str, half_extents: [f64; 3], mass_kg: f64, pose: Pose) -> SceneObject {
    object(id, Shape::Box { half_extents }, Some(mass_kg), pose)
}

pub(crate) fn cube(id: &str, size: f64, x: f64, y: f64, yaw: f64) -> SceneObject {
    let half = 0.5 * size;
    // 400 kg/m^3, the density of softwood: 26 g for a cube of 4 cm.
    let mass = 400.0 * size * size * size;
    block(id, [half; 3], mass, at(x, y, half, yaw))
}

/// A table whose top is the plane z = 0 in front of the arm.
pub(crate) fn table() -> SceneObject {
    fixed("table", [0.5, 0.6, 0.05], at(0.5, 0.0, -0.05, 0.0))
}

pub(crate) fn id(name: &str) -> ObjectId {
    ObjectId::new(name)
}

/// A joint of a scene about or along an axis of its parent.
pub(crate) fn joint(
    name: &str,
    ends: [&str; 2],
    kind: JointKind,
    axis: [f64; 3],
    limits: [f64; 2],
) -> SceneJoint {
    SceneJoint::new(id(name), ends.map(id), kind, axis, limits)
}

pub(crate) fn scene(objects: Vec<SceneObject>) -> Scene {
    Scene::new("test", world_from_base(), 0.08, objects)
}

pub(crate) fn disturb(world: &SimWorld, when: When, disturbance: Disturbance) {
    let scheduled = world.faults().disturb(when, disturbance);
    scheduled.expect("the disturbance must be possible");
}

pub(crate) fn moved(id: &str, world_from_object: Pose) -> Disturbance {
    Disturbance::MoveObject {
        object: ObjectId::new(id),
        world_from_object,
    }
}

pub(crate) fn pushed(id: &str, force_in_world: [f64; 3], duration_secs: f64) -> Disturbance {
    Disturbance::PushObject {
        object: ObjectId::new(id),
        force_in_world,
        duration_secs,
    }
}

pub(crate) fn removed(id: &str) -> Disturbance {
    Disturbance::RemoveObject {
        object: ObjectId::new(id),
    }
}

pub(crate) fn blocked(joint: &str) -> Disturbance {
    Disturbance::BlockJoint {
        joint: joint.to_owned(),
    }
}

pub(crate) fn push_link(link: &str, force_in_world: [f64; 3], duration_secs: f64) -> Disturbance {
    Disturbance::PushLink {
        link: link.to_owned(),
        force_in_world,
        duration_secs,
    }
}

pub(crate) struct Lab {
    pub(crate) panda: Panda,
    pub(crate) world: SimWorld,
    pub(crate) truth: SimGroundTruth,
}

impl Lab {
    pub(crate) fn new(objects: Vec<SceneObject>) -> Self {
        Self::with(panda(), &scene(objects), SimOptions::default())
    }

    /// A cube of 4 cm on the table.
    pub(crate) fn with_cube() -> Self {
        Self::new(vec![table(), cube("cube", 0.04, 0.42, -0.12, 0.3)])
    }

    pub(crate) fn with(panda: Panda, scene: &Scene, options: SimOptions) -> Self {
        let world =
            SimWorld::new(&panda.model, &panda.file, scene, options).expect("the world builds");
        let truth = world.truth_source();
        Self {
            panda,
            world,
            truth,
        }
    }

    pub(crate) fn object(&self, id: &str) -> GroundTruthObject {
        find(&self.truth, id)
    }

    pub(crate) fn place(&self, id: &str) -> Vector3<f64> {
        place(&self.truth, id)
    }

    pub(crate) fn observe(&mut self) -> Observation {
        self.world.observe().expect("the world must not fail")
    }

    pub(crate) fn wait(&mut self, secs: f64) -> Observation {
        self.world.wait(secs).expect("the physics must not diverge")
    }

    pub(crate) fn follow(&mut self, trajectory: &Trajectory, watch: &Watch) -> MotionReport {
        let report = self.world.follow(trajectory, watch);
        report.expect("the world must not fail")
    }

    pub(crate) fn command_gripper(
        &mut self,
        command: GripperCommand,
        watch: &Watch,
    ) -> GripperReport {
        let report = self.world.command_gripper(command, watch);
        report.expect("the world must not fail")
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.world.snapshot().expect("a snapshot")
    }

    pub(crate) fn restore(&mut self, snapshot: &Snapshot) {
        self.world.restore(snapshot).expect("it restores");
    }

    pub(crate) fn disturb(&self, when: When, disturbance: Disturbance) {
        disturb(&self.world, when, disturbance);
    }

    /// Schedules a disturbance `secs` from now.
    pub(crate) fn disturb_in(&mut self, secs: f64, disturbance: Disturbance) {
        let time_secs = self.observe().time_secs + secs;
        self.disturb(When::At { time_secs }, disturbance);
    }

    pub(crate) fn swing(&mut self, joint: usize, angle: f64, secs: f64) -> Trajectory {
        let from = self.observe().joint_positions;
        let mut to = from.clone();
        to[joint] += angle;
        joint_move(&from, &to, secs)
    }

    /// True `tool_from_object`.
    pub(crate) fn in_hand(&self, id: &str) -> Pose {
        let truth = self.truth.truth();
        truth.world_from_tool.inverse() * self.object(id).world_from_object
    }

    pub(crate) fn joints_for(&self, world_from_tool: &Pose, seed: &[f64]) -> Vec<f64> {
        let base_from_tool = world_from_base().inverse() * world_from_tool;
        let options = IkOptions {
            pos_tol_m: 1e-7,
            rot_tol_rad: 1e-7,
            ..IkOptions::default()
        };
        let (chain, target) = (&self.panda.chain, IkTarget::Pose(base_from_tool));
        let outcome = ik::solve(chain, &target, seed, &options);
        let solution = outcome.solution().map(<[f64]>::to_vec);
        solution.unwrap_or_else(|| panic!("{world_from_tool} must be reachable: {outcome}"))
    }

    pub(crate) fn tool(&self) -> Pose {
        self.truth.truth().world_from_tool
    }

    /// Straight motion of the tool to a pose, with minimum jerk along the line.
    pub(crate) fn straight(&self, goal: &Pose, secs: f64) -> Trajectory {
        let start = self.tool();
        let mut q = self.truth.truth().joint_positions;
        let n = (secs / 0.02_f64).ceil() as usize;
        let mut path = Vec::new();
        for k in 0..=n {
            let s = min_jerk(k as f64 / n as f64);
            let at = start.translation.vector.lerp(&goal.translation.vector, s);
            let pose = Isometry3::from_parts(at.into(), start.rotation.slerp(&goal.rotation, s));
            q = self.joints_for(&pose, &q);
            path.push(q.clone());
        }
        through(&path, secs)
    }

    pub(crate) fn go(&mut self, goal: &Pose, secs: f64) -> MotionReport {
        let trajectory = self.straight(goal, secs);
        let report = self.follow(&trajectory, &Watch::default());
        let message = format!("the arm must reach {goal}");
        assert_eq!(report.end, MotionEnd::Completed, "{message}");
        report
    }

    pub(crate) fn reach(&mut self, goal: &Pose, secs: f64) {
        let from = self.truth.truth().joint_positions;
        let to = self.joints_for(goal, &from);
        let report = self.follow(&joint_move(&from, &to, secs), &Watch::default());
        let message = format!("the arm must reach {goal}");
        assert_eq!(report.end, MotionEnd::Completed, "{message}");
    }

    pub(crate) fn grasp(&mut self, force_n: f64) -> GripperReport {
        self.command_gripper(GripperCommand::grasp(force_n, 0.1), &Watch::default())
    }

    pub(crate) fn open(&mut self, width_m: f64) -> GripperReport {
        self.command_gripper(GripperCommand::move_to(width_m, 0.1), &Watch::default())
    }

    /// Moves above an object, moves down, and closes on it.
    pub(crate) fn pick_up_at(&mut self, x: f64, y: f64, z: f64, yaw: f64, force_n: f64) {
        self.reach(&down(x, y, z + 0.12, yaw), 2.0);
        self.go(&down(x, y, z, yaw), 1.0);
        let report = self.grasp(force_n);
        assert_eq!(report.end, GripperEnd::Stalled, "{report:?}");
    }
}

pub(crate) fn min_jerk(u: f64) -> f64 {
    u * u * u * (10.0 + u * (-15.0 + 6.0 * u))
}

pub(crate) fn joint_move(from: &[f64], to: &[f64], secs: f64) -> Trajectory {
    Trajectory::new(vec![Knot::at_rest(0.0, from), Knot::at_rest(secs, to)])
}

/// A smooth motion through equally spaced samples, with derivatives from central differences.
pub(crate) fn through(path: &[Vec<f64>], secs: f64) -> Trajectory {
    let n = path.len() - 1;
    let h = secs / n as f64;
    let sample = |k: isize, i: usize| path[k.clamp(0, n as isize) as usize][i];
    let dof = path[0].len();
    let knots = (0..=n)
        .map(|k| {
            let at = |offset: isize, i: usize| sample(k as isize + offset, i);
            let at_end = k == 0 || k == n;
            let inside = |slope: f64| if at_end { 0.0 } else { slope };
            let velocity = |i| inside((at(1, i) - at(-1, i)) / (2.0 * h));
            let acceleration = |i| inside((at(1, i) - 2.0 * at(0, i) + at(-1, i)) / (h * h));
            Knot {
                time_secs: k as f64 * h,
                position: path[k].clone(),
                velocity: (0..dof).map(velocity).collect(),
                acceleration: (0..dof).map(acceleration).collect(),
            }
        })
        .collect();
    Trajectory::new(knots)
}

/// A robot of one joint about y that carries a point-like weight on a massless rod along x, without
/// a gripper. The rod is horizontal at zero.
pub(crate) fn one_joint_urdf(mass_kg: f64, length_m: f64, effort_nm: f64) -> String {
    include_str!("../../data/rod.urdf")
        .replace("MASS", &mass_kg.to_string())
        .replace("LENGTH", &length_m.to_string())
        .replace("EFFORT", &effort_nm.to_string())
}

pub(crate) fn bare_file(arm_joints: &[&str], tool_link: &str, motor: Motor) -> RobotFile {
    let mut file = panda().file;
    let n = arm_joints.len();
    file.base_link = "post".to_owned();
    file.tool_link = tool_link.to_owned();
    file.arm_joints = arm_joints.iter().map(|&j| j.to_owned()).collect();
    file.home = vec![0.0; n];
    file.named_poses.clear();
    file.motors = vec![motor; n];
    file.max_acceleration = vec![10.0; n];
    file.max_jerk = vec![1000.0; n];
    file.gripper.finger_joints.clear();
    file.gripper.finger_links.clear();
    file
}

/// A world for tests of the scene alone: its robot hangs ten metres overhead.
pub(crate) fn world_of(mut scene: Scene, options: SimOptions) -> (SimWorld, SimGroundTruth) {
    let motor = Motor {
        kp: 1000.0,
        kd: 100.0,
        armature: 0.1,
        damping: 1.0,
    };
    let urdf = one_joint_urdf(1.0, 0.3, 100.0);
    let model = RobotModel::from_urdf_str(&urdf, ".", &MeshSearch::default()).expect("the rod");
    scene.world_from_base = at(0.0, 0.0, 10.0, 0.2);
    let file = bare_file(&["hinge"], "tip", motor);
    let world = SimWorld::new(&model, &file, &scene, options).expect("the world builds");
    let truth = world.truth_source();
    (world, truth)
}

pub(crate) fn place(truth: &SimGroundTruth, id: &str) -> Vector3<f64> {
    find(truth, id).world_from_object.translation.vector
}

pub(crate) fn drawer() -> (Scene, Pose, Pose) {
    let world_from_cabinet = at(0.5, 0.2, 0.3, 0.8);
    let cabinet = fixed("cabinet", [0.2, 0.2, 0.1], world_from_cabinet);
    let inside = world_from_cabinet * at(-0.05, 0.0, 0.0, 0.3);
    let drawer = block("drawer", [0.12, 0.15, 0.05], 0.4, inside);
    let mut scene = scene(vec![cabinet, drawer]);
    let ends = ["cabinet", "drawer"];
    let outwards = [-1.0, 0.0, 0.0];
    let mut slide = joint("slide", ends, JointKind::Prismatic, outwards, [0.0, 0.3]);
    slide.damping = 4.0;
    scene.joints.push(slide);
    (scene, world_from_cabinet, inside)
}

pub(crate) fn find(truth: &SimGroundTruth, id: &str) -> GroundTruthObject {
    let truth = truth.truth();
    let object = truth.object(&ObjectId::new(id)).cloned();
    object.unwrap_or_else(|| panic!("object `{id}` must be in the world"))
}

/// Options that start the clock at once.
pub(crate) fn unsettled() -> SimOptions {
    SimOptions {
        settle_max_secs: 0.0,
        ..SimOptions::default()
    }
}
