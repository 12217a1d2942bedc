//! Commands that repeat episodes of a report.

use crate::{BenchConfig, Group};

/// Quotes a word for a shell.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// Returns the command that repeats an episode.
pub fn repeat_command(config: &BenchConfig, task: &str, seed: u64) -> String {
    let group = config.groups.iter().find(|group| group.name == task);
    let source = group.map_or(task, Group::source);
    let mut words = vec!["regrasp run --task".to_owned(), quoted(source)];
    words.push(format!("--seed {seed}"));
    words.extend(config.repeat.iter().map(|word| quoted(word)));
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_shell_reads_back_what_was_quoted() {
        assert_eq!(quoted("tasks/my_task.yaml"), "tasks/my_task.yaml");
        assert_eq!(quoted("it's {a: 1}"), r"'it'\''s {a: 1}'");
        assert_eq!(quoted(""), "''");
    }
}
