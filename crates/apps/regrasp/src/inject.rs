//! Faults of an episode: in the simulated world, in perception, in the skills, in the planner or in
//! the store. The agent does not know of them.

use regrasp_faults::{
    Fault, FaultError, disturbed_perception, flaky_skills, perception_disturbance, script,
    troubled_planner, troubled_store,
};

use crate::{Cell, EpisodeOptions, SetupError};

impl EpisodeOptions {
    /// Adds faults. Their random values depend on the episode's seed, which must be set before.
    /// [`LoadedRobot::episode`](crate::LoadedRobot::episode) adds the faults of the scene and of
    /// [`EpisodeOptions::faults`]; call this only to prepare a cell by hand.
    ///
    /// # Errors
    ///
    /// [`FaultError`] if a fault has nothing to act on. Errors that depend on the scene are
    /// reported when the episode begins.
    pub fn with_faults(mut self, faults: &[Fault]) -> Result<Self, FaultError> {
        let seed = self.seed;
        // Each fault draws from a seed of its own.
        let seeded = faults
            .iter()
            .zip(0..)
            .map(|(fault, idx)| (fault.clone(), seed.wrapping_mul(64).wrapping_add(idx)));
        let seeded: Vec<(Fault, u64)> = seeded.collect();
        for (fault, seed) in &seeded {
            self.planner = troubled_planner(fault, self.planner);
            self.skills = flaky_skills(fault, self.skills, *seed)?;
            troubled_store(fault, self.keep.as_mut().map(|keep| &mut keep.store))?;
        }
        let before = self.prepare.take();
        self.prepare = Some(Box::new(move |loaded, scene, cell| {
            let mut cell = match before {
                Some(prepare) => prepare(loaded, scene, cell)?,
                None => cell,
            };
            let mut disturbances = vec![];
            for (fault, seed) in &seeded {
                disturb(&mut cell, fault, *seed)?;
                let now = cell.sim()?.truth.truth();
                disturbances.extend(perception_disturbance(&now, fault)?);
            }
            let eyes = cell.robot.perception;
            cell.robot.perception = disturbed_perception(eyes, disturbances);
            Ok(cell)
        }));
        Ok(self)
    }
}

/// Causes the part of a fault that acts on the world.
fn disturb(cell: &mut Cell, fault: &Fault, seed: u64) -> Result<(), SetupError> {
    let script = script(&cell.sim()?.truth.truth(), fault, seed)?;
    for (when, disturbance) in script {
        let scheduled = cell.sim()?.faults.disturb(when, disturbance);
        scheduled.map_err(FaultError::from)?;
    }
    if matches!(fault, Fault::ObstacleAppears { .. }) {
        // Before the world's next step, perception would still see the obstacle.
        cell.robot.wait(1e-3).map(drop).ok();
    }
    Ok(())
}
