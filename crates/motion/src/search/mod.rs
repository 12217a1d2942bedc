//! Search for a free path: RRT-Connect, then simplification.
//!
//! [`Search::new`] prepares a problem, [`Search::solve`] finds a path,
//! [`Search::simplify`] shortens it. Budgets count iterations and samples come from a
//! Halton sequence, so the same problem has the same answer everywhere.

mod connect;
mod edge;
mod failure;
mod halton;
mod pairs;
mod simplify;

use regrasp_api::{
    CollisionPair, MotionGoal, MotionRequest, ObjectId, Obstacle, PlanningScene, Pose, Shape,
};

use crate::ArmPlanner;
use crate::collision::Surroundings;
use crate::spheres::{self, LinkCover, SceneOptions, SphereScene, Tree};
use edge::Checker;
pub use failure::SearchFailure;
pub(crate) use pairs::RobotSpheres;

/// Checks along a path for each radian (2-norm over joints): the first figure finds
/// paths, the others find again what only a closer look shows to touch.
const CHECKS_PER_RAD: [f64; 3] = [32.0, 96.0, 320.0];
/// Checks for each radian that a finished path must pass.
const FINAL_CHECKS_PER_RAD: f64 = 640.0;
/// Distance that a path keeps if its ends do, m: more than what a link moves from one
/// of the final checks to the middle between two.
const CLEARANCE_M: f64 = 0.0015;

/// Samples by which the sequences of two attempts are apart.
const SKIP: u32 = 1000;

/// How a cylinder among the obstacles is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CylinderReading {
    /// As what it is.
    #[default]
    True,
    /// As the capsule with half spheres beyond both ends, as VAMP reads it: larger.
    Capsule,
}

/// A question to the search.
#[derive(Clone, Debug)]
pub struct SearchProblem<'a> {
    /// Where the arm stands.
    pub world_from_base: Pose,
    /// What is in the way.
    pub obstacles: &'a [Obstacle],
    /// How cylinders are read.
    pub cylinders: CylinderReading,
    /// Distance between the finger pads, m.
    pub gripper_width_m: f64,
    /// Where to start: one position for each joint, rad.
    pub start: &'a [f64],
    /// Where to end: any of these.
    pub goals: &'a [Vec<f64>],
    /// Lower and upper bound of each joint; those of the robot if left out.
    pub bounds: Option<&'a [[f64; 2]]>,
}

/// How hard to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchOptions {
    /// Samples before it gives up.
    pub max_iterations: usize,
    /// Rounds of simplification.
    pub rounds: usize,
    /// Paths that are found, of which the most promising is kept.
    pub attempts: u32,
}

impl Default for SearchOptions {
    /// 20,000 samples, some hundred times the usual; 20 rounds, of which few are
    /// used; 6 attempts, since the first path is seldom a short one.
    fn default() -> Self {
        Self {
            max_iterations: 20_000,
            rounds: 20,
            attempts: 6,
        }
    }
}

/// A path through joint configurations: straight lines between them.
pub type Waypoints = Vec<Vec<f64>>;

/// A prepared problem.
pub struct Search<'a> {
    arm: &'a ArmPlanner,
    spheres: &'a RobotSpheres,
    scene: SphereScene,
    around: Surroundings,
    gripper_width_m: f64,
    bounds: Vec<[f64; 2]>,
    start: Vec<f64>,
    goals: Vec<Vec<f64>>,
}

impl<'a> Search<'a> {
    /// Prepares a problem. The path will keep 1.5 mm from everything if start and goals
    /// do; otherwise it may come as close as they, up to touching.
    ///
    /// # Panics
    ///
    /// If start, goals or bounds have not one entry for each joint.
    pub fn new(arm: &'a ArmPlanner, problem: &SearchProblem<'_>) -> Self {
        let dof = arm.chain().dof();
        let goals_fit = problem.goals.iter().all(|g| g.len() == dof);
        let bounds_fit = problem.bounds.is_none_or(|b| b.len() == dof);
        assert!(
            problem.start.len() == dof && goals_fit && bounds_fit,
            "one entry a joint"
        );
        let scene = PlanningScene {
            obstacles: problem
                .obstacles
                .iter()
                .map(|o| read_cylinders(o, problem.cylinders))
                .collect(),
            ..PlanningScene::default()
        };
        let request = MotionRequest {
            world_from_base: problem.world_from_base,
            start: problem.start,
            gripper_width_m: problem.gripper_width_m,
            goal: MotionGoal::Joints(vec![]),
            scene: &scene,
            speed_scale: 1.0,
            keep_up: None,
        };
        let around = arm.geometry().surroundings(&request);
        let prepare = |margin_m| {
            let around = around.clone().with_margin(margin_m);
            Self::for_request(arm, &request, around, problem.goals.to_vec())
        };
        let mut search = prepare(CLEARANCE_M);
        let mut ends = problem
            .goals
            .iter()
            .map(Vec::as_slice)
            .chain([problem.start]);
        if ends.any(|q| search.contact(q).is_some()) {
            search = prepare(0.0);
        }
        if let Some(bounds) = problem.bounds {
            search.bounds = bounds.to_vec();
        }
        search
    }

    /// Prepares what a request asks, with its margins and what it excuses.
    pub(crate) fn for_request(
        arm: &'a ArmPlanner,
        request: &MotionRequest<'_>,
        around: Surroundings,
        goals: Vec<Vec<f64>>,
    ) -> Self {
        let geometry = arm.geometry();
        let spheres = arm.spheres();
        let rest = vec![0.0; geometry.arm_joints().len()];
        let q_by_joint = geometry.positions(&rest, request.gripper_width_m);
        let tree = Tree::new(geometry.model(), geometry.arm_joints(), &q_by_joint);
        let root_from_world = (request.world_from_base * geometry.base_from_root()).inverse();
        let held = around.held().map(|(shape, tool_from_object)| LinkCover {
            link_idx: geometry.tool_link(),
            is_finger: true,
            moves: true,
            spheres: spheres::cover_shape(shape, &crate::shapes::to_parry(tool_from_object)),
        });
        let may_touch: &[ObjectId] = &request.scene.may_touch;
        let [arm_margin_m, hand_margin_m] = around.margins_m();
        let options = SceneOptions {
            obstacles: &request.scene.obstacles,
            root_from_world,
            may_touch,
            arm_margin_m,
            hand_margin_m,
            held,
        };
        Self {
            arm,
            spheres,
            scene: SphereScene::new(&spheres.model, tree, spheres.pairs.clone(), &options),
            around,
            gripper_width_m: request.gripper_width_m,
            bounds: arm.bounds(),
            start: request.start.to_vec(),
            goals,
        }
    }

    /// What a configuration touches by the exact shapes, itself included.
    fn contact(&self, q: &[f64]) -> Option<CollisionPair> {
        self.contact_in(q, &self.around)
    }

    fn contact_in(&self, q: &[f64], around: &Surroundings) -> Option<CollisionPair> {
        let geometry = self.arm.geometry();
        geometry.first_contact(q, around).or_else(|| {
            let pairs = &self.spheres.link_pairs;
            geometry.first_self_contact(q, self.gripper_width_m, pairs)
        })
    }

    /// The first contact along a path, and where, in rad along it: by the exact shapes
    /// alone, without spheres, and without any distance to be kept.
    pub fn contact_along(
        &self,
        path: &[Vec<f64>],
        checks_per_rad: f64,
    ) -> Option<(f64, CollisionPair)> {
        let around = self.around.clone().with_margin(0.0);
        let mut before = 0.0;
        for edge in path.windows(2) {
            let length = crate::path::distance(&edge[0], &edge[1]);
            let n = (length * checks_per_rad).ceil().max(1.0) as usize;
            for i in 0..=n {
                let f = i as f64 / n as f64;
                let q: Vec<f64> = edge[0]
                    .iter()
                    .zip(&edge[1])
                    .map(|(a, b)| a + f * (b - a))
                    .collect();
                if let Some(pair) = self.contact_in(&q, &around) {
                    return Some((before + f * length, pair));
                }
            }
            before += length;
        }
        None
    }

    /// A free path from the start to one of the goals.
    ///
    /// # Errors
    ///
    /// See [`SearchFailure`].
    pub fn solve(&self, options: &SearchOptions) -> Result<Waypoints, SearchFailure> {
        let outside = |q: &[f64]| {
            q.iter()
                .zip(&self.bounds)
                .position(|(q, [low, high])| !(low - 1e-3..=high + 1e-3).contains(q))
        };
        if let Some(joint_idx) = outside(&self.start) {
            return Err(SearchFailure::StartOutsideLimits { joint_idx });
        }
        if let Some(pair) = self.contact(&self.start) {
            return Err(SearchFailure::StartInCollision { pair });
        }
        let mut pairs = vec![];
        let mut goals = vec![];
        for goal in self.goals.iter().filter(|g| outside(g).is_none()) {
            match self.contact(goal) {
                Some(pair) => pairs.push(pair),
                None => goals.push(goal.clone()),
            }
        }
        if goals.is_empty() {
            return Err(match pairs.is_empty() {
                true => SearchFailure::GoalOutsideLimits,
                false => SearchFailure::GoalInCollision { pairs },
            });
        }
        let mut left = options.max_iterations;
        let mut found: Vec<(f64, Waypoints)> = vec![];
        for attempt in 0..options.attempts {
            let (path, used) = self.with_checker(CHECKS_PER_RAD[0], |checker| {
                let skip = attempt * SKIP;
                connect::connect(checker, &self.bounds, &self.start, &goals, left, skip)
            });
            left -= used.min(left);
            let Some(path) = path else { break };
            if path.len() == 2 && self.is_free(&path) {
                return Ok(path);
            }
            let promise = self.with_checker(CHECKS_PER_RAD[0], |checker| {
                cost(&simplify::simplify(checker, path.clone(), 1))
            });
            found.push((promise, path));
        }
        found.sort_by(|a, b| a.0.total_cmp(&b.0));
        if let Some((_, path)) = found.into_iter().find(|(_, path)| self.is_free(path)) {
            return Ok(path);
        }
        // None withstood a closer look: look closely from the beginning.
        for checks_per_rad in &CHECKS_PER_RAD[1..] {
            let (path, used) = self.with_checker(*checks_per_rad, |checker| {
                connect::connect(checker, &self.bounds, &self.start, &goals, left, 0)
            });
            left -= used.min(left);
            match path {
                Some(path) if self.is_free(&path) => return Ok(path),
                Some(_) => {}
                None => break,
            }
        }
        Err(SearchFailure::Budget {
            max_iterations: options.max_iterations,
        })
    }

    /// A shorter path with the same ends; `path` itself if none is found.
    pub fn simplify(&self, path: &[Vec<f64>], options: &SearchOptions) -> Waypoints {
        CHECKS_PER_RAD
            .into_iter()
            .map(|checks_per_rad| {
                self.with_checker(checks_per_rad, |checker| {
                    simplify::simplify(checker, path.to_vec(), options.rounds)
                })
            })
            .find(|shorter| self.is_free(shorter))
            .unwrap_or_else(|| path.to_vec())
    }

    /// Whether a path is free at the resolution that finished paths must pass.
    fn is_free(&self, path: &[Vec<f64>]) -> bool {
        self.with_checker(FINAL_CHECKS_PER_RAD, |checker| {
            path.windows(2).all(|e| checker.line_is_free(&e[0], &e[1]))
        })
    }

    fn with_checker<T>(&self, checks_per_rad: f64, then: impl FnOnce(&Checker<'_>) -> T) -> T {
        then(&Checker {
            scene: &self.scene,
            is_free: &|q| self.contact(q).is_none(),
            trust_inner: !self.around.has_excuses(),
            checks_per_rad,
        })
    }
}

/// Length of a path, 2-norm over joints, rad.
pub fn cost(path: &[Vec<f64>]) -> f64 {
    simplify::cost(path)
}

fn read_cylinders(obstacle: &Obstacle, reading: CylinderReading) -> Obstacle {
    let shape = match (&obstacle.shape, reading) {
        (
            Shape::Cylinder {
                radius,
                half_height,
            },
            CylinderReading::Capsule,
        ) => Shape::Capsule {
            radius: *radius,
            half_height: *half_height,
        },
        (shape, _) => shape.clone(),
    };
    Obstacle {
        shape,
        ..obstacle.clone()
    }
}
