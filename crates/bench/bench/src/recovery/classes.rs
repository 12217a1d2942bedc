//! Classes of faults, read from `classes.yaml`: the tasks in which they are injected and the
//! expected outcomes.

use std::collections::BTreeMap;
use std::f64::consts::TAU;
use std::hash::Hasher as _;

use fnv::FnvHasher;
use indexmap::IndexMap;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use regrasp_api::{FinalReason, ObjectId};
use regrasp_faults::Fault;
use serde::Deserialize;
use serde_json::{Value as Json, json};

use super::ClassInfo;

/// A class of faults.
#[derive(Clone, Debug)]
pub struct Class {
    /// Name and expected outcome.
    pub info: ClassInfo,
    /// Tasks in which the faults are injected, each with the object concerned; selected in turn by
    /// the seed.
    pub tasks: Vec<(String, String)>,
    /// Set if the episode is saved in a store.
    pub keeps: bool,
    /// Faults before their values are drawn: kinds with their fields.
    faults: Vec<IndexMap<String, IndexMap<String, Value>>>,
}

impl Class {
    /// Returns the task for a seed, and the object concerned.
    pub fn task(&self, seed: u64) -> (&str, &str) {
        let (task, object) = &self.tasks[seed as usize % self.tasks.len()];
        (task, object)
    }

    /// Draws the faults of an episode.
    pub fn faults(&self, draw: &mut Draw) -> Vec<Fault> {
        let mut fault = |kinds: &IndexMap<String, IndexMap<String, Value>>| {
            let kinds = kinds.iter().map(|(kind, fields)| {
                let fields = fields.iter();
                let fields = fields.map(|(key, value)| (key.clone(), value.drawn(draw)));
                (kind.clone(), serde_json::Value::Object(fields.collect()))
            });
            let kinds: serde_json::Map<_, _> = kinds.collect();
            serde_json::from_value(kinds.into()).expect("a test reads every class's faults")
        };
        self.faults.iter().map(&mut fault).collect()
    }
}

/// Field of a fault: a value to draw, a list, or a literal.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum Value {
    Drawn(Drawn),
    List(Vec<Value>),
    Plain(Json),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Drawn {
    Between(f64, f64),
    Maybe(f64, f64),
    OneOf(Vec<Json>),
    Shift(f64, f64),
}

impl Value {
    fn drawn(&self, draw: &mut Draw) -> Json {
        match self {
            Self::Drawn(Drawn::Between(low, high)) => json!(draw.between(*low, *high)),
            Self::Drawn(Drawn::Maybe(low, high)) => {
                let (is_there, value) = (draw.coin(), draw.between(*low, *high));
                json!(is_there.then_some(value))
            }
            Self::Drawn(Drawn::OneOf(values)) => draw.one_of(values),
            Self::Drawn(Drawn::Shift(low_m, high_m)) => {
                let [x, y] = draw.shift(*low_m, *high_m);
                json!([x, y, 0.0])
            }
            Self::List(items) => items.iter().map(|item| item.drawn(draw)).collect(),
            Self::Plain(Json::String(word)) if word == "$object" => json!(draw.object),
            Self::Plain(value) => value.clone(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    tasks: BTreeMap<String, (String, String)>,
    passing: Vec<Entry>,
    lasting: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    name: String,
    tasks: Vec<String>,
    #[serde(default)]
    signs: Vec<String>,
    ends: Option<Vec<FinalReason>>,
    #[serde(default)]
    faults: Vec<IndexMap<String, IndexMap<String, Value>>>,
    #[serde(default)]
    keeps: bool,
}

/// All classes, recoverable ones first.
pub fn classes() -> Vec<Class> {
    let file: File = serde_saphyr::from_str(include_str!("classes.yaml")).expect("a test reads it");
    let class = |entry: Entry, recoverable: bool| Class {
        info: ClassInfo {
            name: entry.name,
            recoverable,
            signs: entry.signs,
            ends: entry.ends.unwrap_or(match recoverable {
                true => vec![],
                false => vec![FinalReason::Infeasible],
            }),
        },
        tasks: entry
            .tasks
            .iter()
            .map(|task| file.tasks[task].clone())
            .collect(),
        keeps: entry.keeps,
        faults: entry.faults,
    };
    let passing = file.passing.into_iter().map(|entry| class(entry, true));
    let lasting = file.lasting.into_iter().map(|entry| class(entry, false));
    passing.chain(lasting).collect()
}

/// Draws magnitudes and times of faults for one episode.
pub struct Draw {
    rng: ChaCha8Rng,
    /// Object of the task.
    pub object: ObjectId,
}

impl Draw {
    /// Creates the generator for one seed of one class. Classes have independent random streams.
    pub fn new(class: &str, seed: u64, object: &str) -> Self {
        // The seed includes the name, so that a class's draws do not depend on the other classes.
        let mut hash = FnvHasher::default();
        hash.write(class.as_bytes());
        Self {
            rng: ChaCha8Rng::seed_from_u64(hash.finish() ^ seed),
            object: ObjectId::new(object),
        }
    }

    /// Draws a number between `low` and `high`.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.rng.random::<f64>()
    }

    /// Draws a boolean with equal probabilities.
    pub fn coin(&mut self) -> bool {
        self.rng.random::<f64>() < 0.5
    }

    /// Draws one of `choices`.
    pub fn one_of<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.rng.random_range(0..choices.len())].clone()
    }

    /// Draws a horizontal vector with a length between `low_m` and `high_m`, m.
    pub fn shift(&mut self, low_m: f64, high_m: f64) -> [f64; 2] {
        let (length_m, angle) = (self.between(low_m, high_m), self.between(0.0, TAU));
        [length_m * angle.cos(), length_m * angle.sin()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_has_tasks_and_faults_that_can_be_read() {
        let all = classes();
        for class in &all {
            for seed in 0..8 {
                let (task, object) = class.task(seed);
                assert!(!task.is_empty(), "{}", class.info.name);
                class.faults(&mut Draw::new(&class.info.name, seed, object));
            }
        }
        let n_recoverable = all.iter().filter(|class| class.info.recoverable).count();
        assert_eq!((n_recoverable, all.len()), (24, 50));
    }
}
