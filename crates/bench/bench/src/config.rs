//! What a run was asked for: the part of it that decides about results.

use regrasp_scene::ContentHashes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::{DrawnTask, Key, Seeds, Shard};

/// What the lines of `results.jsonl` are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// [`EpisodeRecord`](crate::EpisodeRecord)s.
    Episodes,
    /// [`RecoveryRecord`](crate::recovery::RecoveryRecord)s.
    Recovery,
}

/// What was asked for. Two runs with the same one give the same results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchConfig {
    /// What its records are.
    pub records: RecordKind,
    /// Version of the program.
    pub version: String,
    /// Version of the form in which groups are hashed
    /// ([`IDENTITY_VERSION`](regrasp_scene::IDENTITY_VERSION)); 0 in folders that do not say.
    #[serde(default)]
    pub identity_version: u32,
    /// The planner.
    pub planner: String,
    /// Which version of it, if it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_version: Option<String>,
    /// What the robot sees with.
    pub perception: String,
    /// The robot.
    pub robot: String,
    /// Every setting of the agent.
    pub agent: Value,
    /// What goes wrong on purpose.
    pub faults: Vec<Value>,
    /// Skills that the program has beside the standard ones, or in place of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Real seconds that an episode may take.
    pub timeout_s: Option<f64>,
    /// What is done, in this order.
    pub groups: Vec<Group>,
    /// Seeds of each.
    pub seeds: Seeds,
    /// The part of it that is done here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Flags with which `regrasp run` repeats an episode, beside task and seed. They decide
    /// nothing: two ways to write the same are the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeat: Vec<String>,
}

/// Episodes that belong together: those of a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// The task's name.
    pub name: String,
    /// Hash of what the task is, so that a task file that was changed is noticed. Only hashes of one
    /// [`identity_version`](BenchConfig::identity_version) can be compared.
    pub digest: String,
    /// How `--task` calls it, if not by its name; decides nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Group {
    /// The group of a task's episodes. `named` is how `--task` calls it. `hashes` are shared by all
    /// tasks of a run.
    ///
    /// # Errors
    ///
    /// Why the task cannot be used, in one sentence.
    pub fn of(
        task: &dyn DrawnTask,
        named: &str,
        hashes: &mut ContentHashes,
    ) -> Result<Self, String> {
        Ok(Self {
            name: task.name().to_owned(),
            digest: digest(&task.identity(hashes)?),
            file: (named != task.name()).then(|| named.to_owned()),
        })
    }

    /// A group that a value describes in full.
    pub fn described(name: &str, whole: &Value) -> Self {
        let mut whole = whole.clone();
        whole.sort_all_objects();
        Self {
            name: name.to_owned(),
            digest: digest(&whole.to_string()),
            file: None,
        }
    }

    /// How `--task` calls it.
    pub fn source(&self) -> &str {
        self.file.as_deref().unwrap_or(&self.name)
    }
}

/// A hash as 16 hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

impl BenchConfig {
    /// The keys of all its episodes, those of its shard only, in order.
    pub fn keys(&self) -> Vec<Key> {
        let seeds = self.seeds.as_slice();
        let all = self.groups.iter().flat_map(|group| {
            let key = |&seed| Key {
                group: group.name.clone(),
                seed,
            };
            seeds.iter().map(key)
        });
        let is_here = |idx: usize| self.shard.is_none_or(|shard| shard.has(idx));
        let here = all.enumerate().filter(|(idx, _)| is_here(*idx));
        here.map(|(_, key)| key).collect()
    }

    /// The part of it that is in summaries: nothing that differs between two ways to do the
    /// same.
    pub fn for_summary(&self) -> Self {
        let group = |group: &Group| Group {
            file: None,
            ..group.clone()
        };
        Self {
            repeat: vec![],
            groups: self.groups.iter().map(group).collect(),
            ..self.clone()
        }
    }

    /// The same without saying which part of it is done here.
    pub fn whole(&self) -> Self {
        Self {
            shard: None,
            ..self.clone()
        }
    }

    /// Which fields differ, as `budgets.max_replans is 3 there and 5 here`.
    pub fn differences(there: &Self, here: &Self) -> Vec<String> {
        let value = |config: &Self| serde_json::to_value(config.for_summary()).unwrap_or_default();
        let mut found = vec![];
        differ("", &value(there), &value(here), &mut found);
        found
    }
}

fn differ(path: &str, there: &Value, here: &Value, found: &mut Vec<String>) {
    if there == here {
        return;
    }
    if let (Value::Object(a), Value::Object(b)) = (there, here) {
        let mut keys: Vec<_> = a.keys().chain(b.keys()).collect();
        keys.sort_unstable();
        keys.dedup();
        for key in keys {
            let path = if path.is_empty() {
                key.clone()
            } else {
                format!("{path}.{key}")
            };
            differ(&path, &there[key], &here[key], found);
        }
        return;
    }
    let (there, here) = (brief(there), brief(here));
    found.push(format!("`{path}` is {there} there and {here} here"));
}

/// A value in few words.
fn brief(value: &Value) -> String {
    const MAX_CHARS: usize = 120;
    let text = match value {
        Value::Null => return "not given".into(),
        Value::Array(items) => {
            // Of groups the names tell most; if only a digest differs, that is seen too.
            let item = |item: &Value| match (item["name"].as_str(), item["digest"].as_str()) {
                (Some(name), Some(digest)) => format!("{name} ({digest})"),
                _ => item.to_string(),
            };
            let items: Vec<_> = items.iter().map(item).collect();
            format!("[{}]", items.join(", "))
        }
        other => other.to_string(),
    };
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text,
    }
}
