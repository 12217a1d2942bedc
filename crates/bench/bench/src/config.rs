//! Configuration of a run: everything that determines its results.

use regrasp_scene::ContentHashes;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use xxhash_rust::xxh3::xxh3_64;

use crate::{DrawnTask, Key, Seeds, Shard};

/// Type of the records in `results.jsonl`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecordKind {
    /// [`EpisodeRecord`](crate::EpisodeRecord)s.
    Episodes,
    /// [`RecoveryRecord`](crate::recovery::RecoveryRecord)s.
    Recovery,
}

/// Configuration of a run. Two runs with equal configurations give equal results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BenchConfig {
    /// Type of the records.
    pub records: RecordKind,
    /// Version of the program.
    pub version: String,
    /// Version of the task hashes ([`IDENTITY_VERSION`](regrasp_scene::IDENTITY_VERSION)); 0 if the
    /// file does not state it.
    #[serde(default)]
    pub identity_version: u32,
    /// Name of the planner.
    pub planner: String,
    /// Version of the planner, if it reports one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub planner_version: Option<String>,
    /// Name of the perception.
    pub perception: String,
    /// Name of the robot.
    pub robot: String,
    /// All settings of the agent.
    pub agent: Value,
    /// Injected faults.
    pub faults: Vec<Value>,
    /// Skills that add to or replace the standard ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<String>,
    /// Limit of an episode in real time, s.
    pub timeout_s: Option<f64>,
    /// Groups of episodes, in the order in which they are run.
    pub groups: Vec<Group>,
    /// Seeds of each group.
    pub seeds: Seeds,
    /// Shard of the run that this process runs; `None` for the whole run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<Shard>,
    /// Flags with which `regrasp run` repeats an episode, in addition to task and seed. Comparisons
    /// ignore them because the same settings can be written in several ways.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeat: Vec<String>,
}

/// Episodes of one task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Name of the task.
    pub name: String,
    /// Hash of the task's content, which detects a changed task file. Only hashes with the same
    /// [`identity_version`](BenchConfig::identity_version) can be compared.
    pub digest: String,
    /// Argument of `--task` if it is not the task's name; ignored in comparisons.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Group {
    /// Creates the group of a task's episodes. `named` is the argument of `--task`. `hashes` are
    /// shared by all tasks of a run.
    ///
    /// # Errors
    ///
    /// One sentence on why the task cannot be used.
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

    /// Creates a group whose digest is the hash of `whole`.
    pub fn described(name: &str, whole: &Value) -> Self {
        let mut whole = whole.clone();
        whole.sort_all_objects();
        Self {
            name: name.to_owned(),
            digest: digest(&whole.to_string()),
            file: None,
        }
    }

    /// Returns the argument of `--task` for this group.
    pub fn source(&self) -> &str {
        self.file.as_deref().unwrap_or(&self.name)
    }
}

/// Hash of a text as 16 hexadecimal digits.
pub(crate) fn digest(text: &str) -> String {
    format!("{:016x}", xxh3_64(text.as_bytes()))
}

impl BenchConfig {
    /// Returns the keys of all episodes of this shard, in order.
    pub fn keys(&self) -> Vec<Key> {
        let groups = self.groups.iter().map(|group| group.name.clone());
        let all = Key::all(groups, &self.seeds);
        let is_here = |idx: usize| self.shard.is_none_or(|shard| shard.has(idx));
        let here = all.enumerate().filter(|(idx, _)| is_here(*idx));
        here.map(|(_, key)| key).collect()
    }

    /// Returns the configuration without fields that may differ between runs with the same results.
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

    /// Returns the configuration of the whole run, without the shard.
    pub fn whole(&self) -> Self {
        Self {
            shard: None,
            ..self.clone()
        }
    }

    /// Lists the fields that differ, one sentence each, with both values.
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
    found.push(format!("`{path}` changes from {there} to {here}"));
}

fn brief(value: &Value) -> String {
    const MAX_CHARS: usize = 120;
    let text = match value {
        Value::Null => return "not given".into(),
        Value::Array(items) => {
            // Groups are named with their digest, so that a change of the digest alone is visible.
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
