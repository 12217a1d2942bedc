//! Compares the grammar's readings of LIBERO's prompts with the goals of its problem files.
//! `WORDS=1` prints every reading.
#![expect(clippy::print_stderr, reason = "`WORDS=1` prints the readings")]

use std::sync::Arc;

use regrasp_api::{Goal, Known, ObjectId, PerceivedObject, Percept, Side};
use regrasp_language::{Intent, Misunderstanding, ParseContext, Step, Task, understand};
use regrasp_libero::{Arena, Assets, Atom, LiberoTask, Problem, Starts};
use regrasp_scene::{RobotFile, Scene, builtin_robot};

use crate::common::libero;

const N_SEEDS: u64 = 5;

fn percept(scene: &Scene, robot: &RobotFile) -> Percept {
    let truth = scene.initial_truth(robot);
    let known = truth.objects.iter().map(|o| Known {
        object: o.id.clone(),
        upright: o.upright,
        mass_kg: None,
        mass_center: o.mass_center,
        zones: o.zones.clone(),
        part_of: o.part_of.clone(),
    });
    let objects = truth.objects.iter().map(|o| PerceivedObject {
        id: o.id.clone(),
        category: o.category.clone(),
        color: o.color.clone(),
        shape: o.shape.clone(),
        world_from_object: o.world_from_object,
        position_std_m: 0.0,
        movable: o.movable,
    });
    Percept {
        known: known.collect(),
        objects: objects.collect(),
        joints: truth.joints.clone(),
        ports: truth.ports.clone(),
        ..Percept::default()
    }
}

fn read(prompt: &str, scene: &Scene, percept: &Percept) -> Result<Task, Misunderstanding> {
    let context = ParseContext {
        base: scene.world_from_base.translation.vector.xy().into(),
        viewpoint: scene.viewpoint,
        ..ParseContext::of(percept)
    };
    understand(prompt, &context).map(|understood| understood.task)
}

/// One problem in one draw, to compare with a reading.
struct Drawn<'a> {
    problem: &'a Problem,
    percept: &'a Percept,
}

impl Drawn<'_> {
    /// Splits a name into its instance, or a region's owner, and the site's name.
    fn owner<'n>(&'n self, name: &'n str) -> (&'n str, Option<&'n str>) {
        match self.problem.region(name) {
            Some(region) => {
                let short = name.strip_prefix(&format!("{}_", region.target));
                (&region.target, short)
            }
            None => (name, None),
        }
    }

    fn is_part(&self, id: &str, of: &str) -> bool {
        id == of || id.starts_with(&format!("{of}_"))
    }

    /// Returns true if a target, with an optional zone of it, is the place in the goal.
    fn is_there(&self, target: &str, zone: Option<&str>, meant: &str) -> bool {
        let (owner, site) = self.owner(meant);
        let word = site.and_then(|site| site.split('_').next()).unwrap_or("");
        let parts = self.percept.joints.iter().map(|j| j.child.as_str());
        let mut parts = parts.into_iter();
        let has_parts = parts.any(|id| self.is_part(id, owner) && id.split('_').any(|w| w == word));
        let says_place = match zone {
            Some(zone) => zone.split('_').any(|w| w == word) || zone == "inside",
            // One of several drawers: its word, such as `top`, has to agree.
            None if has_parts && !meant.ends_with("_side") => target.split('_').any(|w| w == word),
            None => true,
        };
        self.is_part(target, owner) && says_place
    }

    /// Returns true if a side of an object is the position of a workspace region.
    fn is_toward(&self, target: &str, side: Side, meant: &str) -> bool {
        let region = self.problem.region(meant).unwrap();
        let offset = Arena::of(self.problem).unwrap().offset;
        let [x0, y0, x1, y1] = region.ranges[0];
        let at = [0.5 * (x0 + x1) + offset[0], 0.5 * (y0 + y1) + offset[1]];
        let target = self.percept.object(&ObjectId::new(target)).unwrap();
        let from = target.aabb_in_world().center();
        let offset = [at[0] - from.x, at[1] - from.y];
        let (along, across) = match side {
            Side::Left => (offset[1], offset[0]),
            Side::Right => (-offset[1], offset[0]),
            Side::Behind => (offset[0], offset[1]),
            Side::InFront => (-offset[0], offset[1]),
        };
        along > across.abs()
    }

    /// Returns true if an intent achieves a part of the goal.
    fn does(&self, intent: &Intent, atom: &Atom) -> bool {
        let args: Vec<&str> = atom.args.iter().map(String::as_str).collect();
        match (atom.name.as_str(), args.as_slice(), intent.goal()) {
            ("on" | "in", [what, there], goal) if intent.object() == Some(*what) => match goal {
                Some(Goal::On { target, .. } | Goal::In { target, .. }) => {
                    self.is_there(target.as_str(), None, there)
                }
                Some(Goal::Within { target, zone, .. }) => {
                    self.is_there(target.as_str(), Some(zone.as_str()), there)
                }
                Some(Goal::Beside {
                    target,
                    side: Some(side),
                    ..
                }) => self.is_toward(target.as_str(), *side, there),
                _ => false,
            },
            (name, [what], Some(Goal::Slid { object, open })) => {
                let object = object.as_str();
                let (owner, site) = self.owner(what);
                let word = site.and_then(|s| s.split('_').next());
                *open == matches!(name, "open" | "turnon")
                    && self.is_part(object, owner)
                    && word.is_none_or(|word| object.split('_').any(|w| w == word))
            }
            _ => false,
        }
    }

    fn wrong(&self, task: &Task) -> Option<String> {
        let intents: Vec<&Intent> = task.steps.iter().flat_map(Step::intents).collect();
        let goal = &self.problem.goal;
        for atom in goal {
            let is_it = |init: &Atom| init.name == atom.name && init.args == atom.args;
            let is_so = self.problem.init.iter().any(is_it);
            if !is_so && !intents.iter().any(|c| self.does(c, atom)) {
                return Some(format!("no step achieves {} {:?}", atom.name, atom.args));
            }
        }
        // A drawer opened on the way need not be open in the end.
        let is_way = |c: &Intent| matches!(c.goal(), Some(Goal::Slid { open: true, .. }));
        let mut intents = intents.iter();
        let beyond = intents.find(|c| !is_way(c) && !goal.iter().any(|atom| self.does(c, atom)));
        beyond.map(|intent| format!("{intent} is not in the goal"))
    }
}

fn check(suite: &str) {
    let root = libero();
    let folder = root.join("bddl_files").join(suite);
    let shown = std::env::var_os("WORDS").is_some();
    let assets = Arc::new(Assets::open(&root).unwrap());
    let robot = builtin_robot().unwrap();
    let mut wrong = vec![];
    for file in regrasp_libero::problems_in(&folder).unwrap() {
        let problem = Problem::load(&file).unwrap();
        let task = LiberoTask::load(&file, &assets, &robot, &Starts::Drawn).unwrap();
        for seed in 0..N_SEEDS {
            let scene = task.instantiate(seed).unwrap().scene;
            let percept = percept(&scene, &robot);
            let drawn = Drawn {
                problem: &problem,
                percept: &percept,
            };
            let reading = read(task.prompt(), &scene, &percept);
            if shown && seed == 0 {
                eprintln!(
                    "{}: {:?}",
                    task.prompt(),
                    reading.as_ref().map(Task::to_string)
                );
            }
            let what = match reading {
                Err(why) => Some(why.to_string()),
                Ok(read) => drawn.wrong(&read).map(|why| format!("{read}: {why}")),
            };
            wrong.extend(what.map(|what| format!("{} ({seed}): {what}", task.prompt())));
        }
    }
    assert!(
        wrong.is_empty(),
        "{suite}: {} wrong readings:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
#[ignore = "needs LIBERO's files: REGRASP_LIBERO"]
fn prompts_of_every_suite_mean_its_goals() {
    for suite in ["spatial", "object", "goal", "10"] {
        check(&format!("libero_{suite}"));
    }
}
