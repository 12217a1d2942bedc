//! Conversion of frames, events and pictures to rows of entities.

use std::collections::{BTreeMap, BTreeSet};

use nalgebra::Point3;
use regrasp_api::{Event, MotionEnd, Pose, Remark, SkillCall, StampedEvent};
use regrasp_ground_truth::Frame;

use crate::documents::{Failures, PlanSheet};
use crate::row::{Column, Point, Row};
use crate::trail::Trail;
use crate::{Clock, EntityPath, Stamp, marks, signals};

/// Minimum change at which a pose is logged, in m and quaternion components. Smaller changes are
/// vibrations of resting objects.
const STILL: f32 = 1e-5;
/// Size of the buffered rows at which they should be written, bytes.
const FULL_BYTES: usize = 16 << 20;

/// Collects the rows to log. Input must be in order of time.
#[derive(Default)]
pub struct Logbook {
    clock: Clock,
    columns: BTreeMap<EntityPath, Column>,
    n_bytes: usize,
    /// Last logged pose of each entity, in single precision.
    poses: BTreeMap<EntityPath, [f32; 7]>,
    plan: PlanSheet,
    failures: Failures,
    /// Running calls by their index in the episode.
    calls: BTreeMap<usize, String>,
    trail: Trail,
    /// Visible marks, with the time at which each was drawn.
    drawn: BTreeMap<EntityPath, Stamp>,
    contacts: Vec<Point>,
}

impl Logbook {
    /// Creates an empty logbook.
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            ..Self::default()
        }
    }

    /// Adds a frame. `bodies` are the poses of links and cameras in World.
    pub fn frame(&mut self, frame: &Frame, bodies: impl IntoIterator<Item = (EntityPath, Pose)>) {
        let now = Stamp {
            step: i64::try_from(frame.step).unwrap_or(i64::MAX),
            ..self.clock.at(frame.time_secs)
        };
        for (path, pose) in bodies {
            self.pose(now, path, pose);
        }
        for object in &frame.objects {
            let path = EntityPath::object(object.id.as_str());
            self.pose(now, path, object.world_from_object);
        }
        for (path, figures) in signals::figures(frame) {
            self.push(now, path, Row::Numbers(figures));
        }
        let tool = marks::single(Point3::from(frame.world_from_tool.translation.vector));
        if let Some(row) = self.trail.go(frame.time_secs, tool) {
            self.draw(now, EntityPath::executed(), row);
        }
        let contacts = marks::contacts(&frame.contacts);
        if contacts != self.contacts {
            self.push(now, EntityPath::contacts(), Row::Points(contacts.clone()));
            self.contacts = contacts;
        }
    }

    /// Adds an event.
    pub fn event(&mut self, stamped: &StampedEvent) {
        let now = self.clock.at(stamped.sim_secs);
        for Remark { level, text } in stamped.event.remarks() {
            let text = text.replace(char::is_control, " ");
            self.push(
                now,
                EntityPath::story(),
                Row::Remark(Remark { level, text }),
            );
        }
        match &stamped.event {
            Event::PlanRevised { version } => {
                self.plan.revise(version);
                self.show_plan(now);
            }
            Event::StepStarted {
                step_idx,
                skill,
                args,
            } => {
                let call = SkillCall::new(skill, args.clone());
                self.wipe(now);
                self.trail = Trail::default();
                self.plan.begin(*step_idx, &call);
                self.calls.insert(*step_idx, call.to_string());
                self.show_plan(now);
            }
            Event::GraspsWeighed { object, grasps } => {
                for (path, row) in marks::grasps(object.as_str(), grasps) {
                    self.draw(now, path, row);
                }
            }
            Event::NoMotion {
                goals_in_world,
                pairs,
                ..
            } => {
                let at = |name: &str| self.place_of(name);
                let touching = marks::would_touch(pairs, goals_in_world, at);
                self.draw(
                    now,
                    EntityPath::no_motion(),
                    marks::no_motion(goals_in_world),
                );
                self.draw(now, EntityPath::touching(), touching);
            }
            Event::MotionStarted { tool_in_world, .. } => {
                let planned = self.trail.plan(tool_in_world);
                self.draw(now, EntityPath::planned(), planned);
            }
            Event::MotionFinished {
                end: MotionEnd::Stopped(stop),
                ..
            } => {
                if let Some(touched) = marks::touched(stop) {
                    self.draw(now, EntityPath::touching(), touched);
                }
            }
            Event::StepFinished { step_idx, result } => {
                self.plan.finish(*step_idx, result.success);
                self.show_plan(now);
                let call = self.calls.remove(step_idx).unwrap_or_default();
                if !result.success {
                    let failures = &mut self.failures;
                    failures.add(stamped.sim_secs, *step_idx, &call, result);
                    let text = failures.text();
                    self.push(now, EntityPath::failures(), Row::Document(text));
                }
            }
            _ => {}
        }
    }

    /// Adds a picture as PNG.
    pub fn picture(&mut self, camera: &str, time_secs: f64, png: Vec<u8>) {
        let now = self.clock.at(time_secs);
        self.push(now, EntityPath::picture(camera), Row::Picture(png));
    }

    /// Returns true if enough rows are buffered to be written.
    pub fn is_full(&self) -> bool {
        self.n_bytes >= FULL_BYTES
    }

    /// Takes the buffered rows, sorted by entity.
    pub fn take(&mut self) -> Vec<Column> {
        self.n_bytes = 0;
        std::mem::take(&mut self.columns).into_values().collect()
    }

    fn push(&mut self, now: Stamp, path: EntityPath, row: Row) {
        let new = || Column::new(path.clone());
        let column = self.columns.entry(path.clone()).or_insert_with(new);
        self.n_bytes += column.push(now, row);
    }

    fn pose(&mut self, now: Stamp, path: EntityPath, pose: Pose) {
        let (t, q) = (pose.translation.vector, pose.rotation.coords);
        let single = [t.x, t.y, t.z, q.x, q.y, q.z, q.w].map(|v| v as f32);
        let is_same =
            |last: &[f32; 7]| last.iter().zip(&single).all(|(a, b)| (a - b).abs() < STILL);
        if !self.poses.get(&path).is_some_and(is_same) {
            self.poses.insert(path.clone(), single);
            self.push(now, path, Row::Pose(pose));
        }
    }

    /// Position of a link or an object in World, m.
    fn place_of(&self, name: &str) -> Option<[f32; 3]> {
        let known = |path: EntityPath| self.poses.get(&path);
        let pose = known(EntityPath::object(name)).or_else(|| known(EntityPath::link(name)))?;
        Some([pose[0], pose[1], pose[2]])
    }

    /// Draws marks that remain visible until a step starts at a later simulated time. If they
    /// disappeared with the next step, a failure before any motion would never be visible.
    fn draw(&mut self, now: Stamp, path: EntityPath, row: Row) {
        self.drawn.insert(path.clone(), now);
        self.push(now, path, row);
    }

    /// Erases marks that were drawn earlier.
    fn wipe(&mut self, now: Stamp) {
        let earlier = |(path, since): (&EntityPath, &Stamp)| (*since < now).then(|| path.clone());
        let earlier: BTreeSet<EntityPath> = self.drawn.iter().filter_map(earlier).collect();
        for path in earlier {
            self.drawn.remove(&path);
            let nothing = match path == EntityPath::touching() {
                true => Row::Points(vec![]),
                false => Row::Lines(vec![]),
            };
            self.push(now, path, nothing);
        }
    }

    fn show_plan(&mut self, now: Stamp) {
        let text = self.plan.text();
        self.push(now, EntityPath::plan(), Row::Document(text));
    }
}

#[cfg(test)]
mod tests {
    use regrasp_api::{CollisionPair, Failure, Reason, WeighedGrasp};
    use regrasp_ground_truth::{FrameContact, FrameObject};
    use serde_json::json;

    use super::*;

    fn frame(step: u64, cube_x: f64) -> Frame {
        Frame {
            time_secs: step as f64 * 0.002,
            step,
            objects: vec![FrameObject {
                id: "cube".into(),
                world_from_object: Pose::translation(cube_x, 0.2, 0.3),
            }],
            contacts: vec![FrameContact {
                by: "finger".into(),
                by_robot: true,
                with: "cube".into(),
                force_n: 5.0,
                point_in_world: [cube_x, 0.2, 0.3],
            }],
            ..Frame::default()
        }
    }

    fn tell(book: &mut Logbook, sim_secs: f64, event: Event) {
        book.event(&StampedEvent::new(0, sim_secs, event));
    }

    fn started(step_idx: usize) -> Event {
        let pick = SkillCall::new("pick", json!({ "object": "cube" }));
        Event::step_started(step_idx, &pick)
    }

    fn column(columns: &[Column], path: &EntityPath) -> Column {
        let found = columns.iter().find(|column| &column.path == path);
        found.cloned().unwrap_or_else(|| Column::new(path.clone()))
    }

    #[test]
    fn a_body_at_rest_is_logged_once() {
        let mut book = Logbook::new(Clock::from_instant(0.002, 1));
        for (step, x) in [(0, 0.1), (1, 0.100_001), (2, 0.15), (3, 0.15)] {
            let link = (
                EntityPath::link("hand"),
                Pose::translation(x, 0.0, step as f64),
            );
            book.frame(&frame(step, x), [link]);
        }
        let columns = book.take();
        let steps = |path: EntityPath| -> Vec<i64> {
            let stamps = column(&columns, &path).stamps;
            stamps.iter().map(|stamp| stamp.step).collect()
        };
        assert_eq!(steps(EntityPath::object("cube")), [0, 2]);
        assert_eq!(steps(EntityPath::link("hand")), [0, 1, 2, 3]);
        assert_eq!(steps(EntityPath::contacts()), [0, 1, 2]);
        let forces = EntityPath::signal(signals::FORCES, "contact");
        assert_eq!(steps(forces), [0, 1, 2, 3]);
        let times = column(&columns, &EntityPath::object("cube")).stamps;
        assert_eq!(times[1].time_ns, 4_000_000);
        assert!(book.take().is_empty(), "`take` empties the buffer");
        book.frame(&frame(4, 0.15), []);
        let columns = book.take();
        assert!(
            column(&columns, &EntityPath::object("cube"))
                .rows
                .is_empty()
        );
    }

    #[test]
    fn what_failed_before_anything_moved_stays_until_a_later_step() {
        let mut book = Logbook::new(Clock::from_instant(0.002, 1));
        book.frame(&frame(0, 0.1), []);
        tell(&mut book, 0.0, started(0));
        let goal = Pose::translation(0.5, 0.0, 0.1);
        let grasp = WeighedGrasp {
            world_from_tool: goal,
            verdict: "in_collision".into(),
            touches: vec!["cube".into()],
        };
        let weighed = Event::GraspsWeighed {
            object: "can".into(),
            grasps: vec![grasp],
        };
        tell(&mut book, 0.0, weighed);
        let pair = CollisionPair {
            link: "hand".into(),
            other: "cube".into(),
        };
        let no_motion = Event::NoMotion {
            reason: Reason::GoalInCollision,
            detail: String::new(),
            goals_in_world: vec![goal],
            pairs: vec![pair],
        };
        tell(&mut book, 0.0, no_motion);
        let failure = Failure::new(Reason::NoGraspFound, "none");
        tell(&mut book, 0.0, Event::step_finished(0, failure));
        tell(&mut book, 0.0, started(1));
        tell(&mut book, 2.0, started(2));
        let columns = book.take();
        let grasps = EntityPath::grasps("can", "in_collision");
        let places = [grasps, EntityPath::no_motion(), EntityPath::touching()];
        for path in places {
            let column = column(&columns, &path);
            let times: Vec<_> = column.stamps.iter().map(|stamp| stamp.time_ns).collect();
            assert_eq!(times, [0, 2_000_000_000], "{path}");
            let is_empty = |row: &Row| match row {
                Row::Lines(lines) => lines.is_empty(),
                Row::Points(points) => points.is_empty(),
                other => panic!("{path} has the row {other:?}"),
            };
            let empty: Vec<_> = column.rows.iter().map(is_empty).collect();
            assert_eq!(empty, [false, true], "{path}");
        }
        let touching = column(&columns, &EntityPath::touching());
        let Some(Row::Points(points)) = touching.rows.first() else {
            panic!("the pair that would collide has no label");
        };
        assert_eq!(points[0].at, [0.1, 0.2, 0.3], "the label is at the cube");
        let Some(Row::Document(text)) = column(&columns, &EntityPath::failures()).rows.pop() else {
            panic!("the failure is not in a document");
        };
        assert!(text.contains("pick({\"object\":\"cube\"})"), "{text}");
    }
}
