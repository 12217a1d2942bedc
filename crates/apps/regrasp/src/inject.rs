//! Faults of an episode: in the simulated world, before the eyes, in the skills, in the planner or in
//! the store. The agent is told nothing.

use regrasp_faults::{
    Fault, FaultError, disturbed_perception, flaky_skills, perception_disturbance, script,
    troubled_planner, troubled_store,
};

use crate::{Cell, EpisodeOptions, SetupError};

impl EpisodeOptions {
    /// The same with faults brought about, random by the episode's seed: set that before.
    /// [`LoadedRobot::episode`](crate::LoadedRobot::episode) does so with those of the scene and of
    /// [`EpisodeOptions::faults`]; call this only to prepare a cell by hand.
    ///
    /// # Errors
    ///
    /// [`FaultError`] if a fault has nothing to act on. What only the scene can tell is
    /// told when the episode begins.
    pub fn with_faults(mut self, faults: &[Fault]) -> Result<Self, FaultError> {
        let seed = self.seed;
        // Different faults of an episode draw differently.
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

/// Brings a fault about that is one of the world.
fn disturb(cell: &mut Cell, fault: &Fault, seed: u64) -> Result<(), SetupError> {
    let script = script(&cell.sim()?.truth.truth(), fault, seed)?;
    for (when, disturbance) in script {
        let scheduled = cell.sim()?.faults.disturb(when, disturbance);
        scheduled.map_err(FaultError::from)?;
    }
    if matches!(fault, Fault::ObstacleAppears { .. }) {
        // The eyes would see it until the next step of the world.
        cell.robot.wait(1e-3).map(drop).ok();
    }
    Ok(())
}
