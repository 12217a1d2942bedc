//! Robot in its cell: simulated, or with any other world.

use std::sync::Arc;

use regrasp_api::{MotionPlanner, Perception, World};
use regrasp_ground_truth::GroundTruthSource;
use regrasp_ground_truth_perception::{GroundTruthPerception, NoiseOptions};
use regrasp_language::GrammarResolver;
use regrasp_robot::Robot;
use regrasp_scene::Scene;
use regrasp_sim::{SimFaults, SimObserver, SimOptions, SimWorld, Unrest};

use crate::{LoadedRobot, SetupError, StartCollision};

/// Depth of the workspace below the work surface, m. Objects that fell further are lost.
const BELOW_TABLE_M: f64 = 0.1;

/// Robot in its cell.
pub struct Cell {
    /// The robot, which skills command.
    pub robot: Robot,
    /// Parts of a simulated cell; `None` for any other.
    pub sim: Option<Simulated>,
}

/// Parts that only a simulated cell has.
pub struct Simulated {
    /// Source of the true state, for judges. Never hand it to skills or planners.
    pub truth: Arc<dyn GroundTruthSource>,
    /// Disturbs the world, for tests of recovery.
    pub faults: SimFaults,
    /// Shows the running world, for recordings and live views. Never hand it to skills or planners.
    pub observer: SimObserver,
    /// Objects that had not come to rest when the clock started, if any.
    pub unrest: Option<Unrest>,
}

/// Parts of a cell that this crate does not simulate: a real arm, another simulator, a test.
pub struct Backend {
    /// Interface to the hardware or the other simulation.
    pub world: Box<dyn World>,
    /// Perception of the world.
    pub perception: Box<dyn Perception>,
    /// Motion planner; `None` for the robot's own.
    pub motion: Option<Box<dyn MotionPlanner>>,
}

impl Cell {
    /// Returns the parts of a simulated cell.
    ///
    /// # Errors
    ///
    /// [`SetupError::NotSimulated`] if the cell is not simulated.
    pub fn sim(&self) -> Result<&Simulated, SetupError> {
        self.sim.as_ref().ok_or(SetupError::NotSimulated)
    }
}

impl LoadedRobot {
    /// Connects the robot to any world.
    ///
    /// # Errors
    ///
    /// [`SetupError::World`] if the world does not answer.
    pub fn cell_with(&self, backend: Backend) -> Result<Cell, SetupError> {
        let mut world = backend.world;
        let info = self.info(&world.observe()?.world_from_base);
        let motion = backend
            .motion
            .unwrap_or_else(|| Box::new(self.arm_planner().clone()));
        let mut robot = Robot::new(world, backend.perception, motion, info);
        robot.resolver = Box::new(GrammarResolver);
        Ok(Cell { robot, sim: None })
    }

    /// Puts the robot into a simulated scene and lets everything settle; [`Simulated::unrest`]
    /// lists objects that do not come to rest.
    ///
    /// # Errors
    ///
    /// [`SetupError`] if the robot starts inside an object, the scene cannot be simulated, or the
    /// noise is invalid.
    pub fn cell(
        &self,
        scene: &Scene,
        sim: SimOptions,
        noise: NoiseOptions,
    ) -> Result<Cell, SetupError> {
        let mut collisions = self.start_collisions(scene).into_iter();
        if let Some(fatal) = collisions.find(StartCollision::is_fatal) {
            return Err(fatal.into());
        }
        let world = SimWorld::new(self.model(), self.file(), scene, sim)?;
        let sim = Simulated {
            truth: Arc::new(world.truth_source()),
            faults: world.faults(),
            observer: world.observer(),
            unrest: world.unrest(),
        };
        let perception = GroundTruthPerception::new(Arc::clone(&sim.truth), noise)?;
        let mut cell = self.cell_with(Backend {
            world: Box::new(world),
            perception: Box::new(perception),
            motion: None,
        })?;
        let info = &mut cell.robot.info;
        // The workspace includes the work surface, however high the base is mounted.
        info.workspace.min[2] = info.workspace.min[2].min(scene.work_z() - BELOW_TABLE_M);
        info.tool_from_wrist_camera = self.wrist_camera(scene);
        if let Some(friction) = scene.pad_friction {
            info.gripper.pad_friction = friction;
        }
        cell.sim = Some(sim);
        Ok(cell)
    }
}
