//! Planned and executed paths of the tool in a step.

use crate::colours::{EXECUTED, PLANNED};
use crate::row::{Line, Rgb, Row};

const PLANNED_RADIUS_M: f32 = 0.0015;
const EXECUTED_RADIUS_M: f32 = 0.002;
/// Minimum interval between points of the executed path, s.
const POINT_SECS: f64 = 0.05;
/// Minimum interval between updates of the executed path, s. It limits the size of the file,
/// because each update contains the whole path.
const DRAW_SECS: f64 = 0.1;
/// Tolerance for the rounding of times, s.
const ROUNDING_SECS: f64 = 1e-6;

#[derive(Clone, Debug, Default)]
pub(crate) struct Trail {
    planned: Vec<Line>,
    executed: Vec<[f32; 3]>,
    last_point_secs: f64,
    last_drawn_secs: f64,
}

impl Trail {
    /// Adds a planned motion. Returns all planned motions of the step.
    pub(crate) fn plan(&mut self, tool_in_world: &[[f64; 3]]) -> Row {
        let points = tool_in_world.iter().map(|p| p.map(|v| v as f32));
        self.planned
            .push(line(points.collect(), PLANNED, PLANNED_RADIUS_M));
        Row::Lines(self.planned.clone())
    }

    /// Adds the current tool position. Returns the executed path if its next update is due.
    pub(crate) fn go(&mut self, now_secs: f64, tool_in_world: [f32; 3]) -> Option<Row> {
        let is_due = |last: f64, every: f64| now_secs + ROUNDING_SECS >= last + every;
        let moved = self.executed.last() != Some(&tool_in_world);
        let is_next = moved && is_due(self.last_point_secs, POINT_SECS);
        if !(self.executed.is_empty() || is_next) {
            return None;
        }
        self.executed.push(tool_in_world);
        self.last_point_secs = now_secs;
        if self.executed.len() < 2 || !is_due(self.last_drawn_secs, DRAW_SECS) {
            return None;
        }
        self.last_drawn_secs = now_secs;
        let path = line(self.executed.clone(), EXECUTED, EXECUTED_RADIUS_M);
        Some(Row::Lines(vec![path]))
    }
}

fn line(points: Vec<[f32; 3]>, rgb: Rgb, radius_m: f32) -> Line {
    Line {
        points,
        rgb,
        radius_m,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executed_path_grows_only_while_the_tool_moves() {
        let mut trail = Trail::default();
        let mut drawn = vec![];
        for k in 0..60 {
            // Half a second of motion at 60 Hz, then rest.
            let x = 0.01 * f32::from(u8::try_from(k).unwrap_or(0).min(30));
            drawn.extend(trail.go(f64::from(k) / 60.0, [x, 0.0, 0.3]));
        }
        let length = |row: &Row| match row {
            Row::Lines(lines) => lines[0].points.len(),
            other => panic!("{other:?}"),
        };
        let lengths: Vec<_> = drawn.iter().map(length).collect();
        assert!(lengths.windows(2).all(|w| w[0] < w[1]), "{lengths:?}");
        // Ten updates per second of motion.
        assert!((4..=6).contains(&lengths.len()), "{lengths:?}");
    }

    #[test]
    fn every_motion_of_a_step_is_planned() {
        let mut trail = Trail::default();
        trail.plan(&[[0.0; 3], [0.1; 3]]);
        let Row::Lines(lines) = trail.plan(&[[0.1; 3], [0.2; 3], [0.3; 3]]) else {
            panic!("planned paths are not lines");
        };
        let lengths: Vec<_> = lines.iter().map(|l| l.points.len()).collect();
        assert_eq!(lengths, [2, 3]);
    }
}
