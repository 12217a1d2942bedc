//! Seeds and shards of a run.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Unique seeds in ascending order. As text: `0-9,12,20-25`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Seeds(Vec<u64>);

/// Invalid list of seeds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {detail}")]
pub struct SeedsError {
    /// Line number, from 1.
    pub line: usize,
    /// Description of the error.
    pub detail: String,
}

/// Maximum number of seeds in a list, so that a typo cannot fill the memory.
const MAX_SEEDS: u64 = 1_000_000;

impl Seeds {
    /// Seeds 0 to `n - 1`.
    pub fn first(n: u64) -> Self {
        Self((0..n).collect())
    }

    /// A single seed.
    pub fn only(seed: u64) -> Self {
        Self(vec![seed])
    }

    /// Parses a list: seeds and ranges (`3`, `10-19`) separated by spaces, commas or newlines; text
    /// after a `#` is a comment.
    ///
    /// # Errors
    ///
    /// [`SeedsError`] with the line for an invalid seed, a duplicate, too many or no seeds.
    pub fn from_list(text: &str) -> Result<Self, SeedsError> {
        let mut seeds = vec![];
        for (idx, line) in text.lines().enumerate() {
            let line_number = idx + 1;
            let refused = |detail| SeedsError {
                line: line_number,
                detail,
            };
            let content = line.split('#').next().unwrap_or_default();
            let words = content.split(|c: char| c == ',' || c.is_whitespace());
            for word in words.filter(|word| !word.is_empty()) {
                let [low, high] = range(word).map_err(refused)?;
                if seeds.len() as u64 + (high - low) >= MAX_SEEDS {
                    let detail = format!("the list has more than {MAX_SEEDS} seeds");
                    return Err(refused(detail));
                }
                seeds.extend((low..=high).map(|seed| (seed, line_number)));
            }
        }
        seeds.sort_unstable();
        let twice = seeds.windows(2).find(|pair| pair[0].0 == pair[1].0);
        if let Some([_, (seed, line)]) = twice {
            let detail = format!("seed {seed} is listed twice");
            return Err(SeedsError {
                line: *line,
                detail,
            });
        }
        if seeds.is_empty() {
            let detail = "the list has no seed; write numbers or ranges such as 10-19".into();
            return Err(SeedsError { line: 1, detail });
        }
        Ok(Self(seeds.into_iter().map(|(seed, _)| seed).collect()))
    }

    /// All seeds as a slice.
    pub fn as_slice(&self) -> &[u64] {
        &self.0
    }
}

fn range(word: &str) -> Result<[u64; 2], String> {
    let number = |text: &str| {
        let refused =
            |_| format!("`{word}` is not a seed; write a number or a range such as 10-19");
        text.parse::<u64>().map_err(refused)
    };
    let (low, high) = word.split_once('-').unwrap_or((word, word));
    let (low, high) = (number(low)?, number(high)?);
    if low > high {
        return Err(format!("the range `{word}` ends before it begins"));
    }
    if high - low >= MAX_SEEDS {
        return Err(format!(
            "the range `{word}` has more than {MAX_SEEDS} seeds"
        ));
    }
    Ok([low, high])
}

impl fmt::Display for Seeds {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.0.chunk_by(|a, b| a + 1 == *b);
        for (idx, run) in runs.enumerate() {
            let comma = if idx == 0 { "" } else { "," };
            match run {
                [one] => write!(f, "{comma}{one}")?,
                [low, .., high] => write!(f, "{comma}{low}-{high}")?,
                [] => {}
            }
        }
        Ok(())
    }
}

impl From<Seeds> for String {
    fn from(seeds: Seeds) -> Self {
        seeds.to_string()
    }
}

impl TryFrom<String> for Seeds {
    type Error = SeedsError;

    fn try_from(text: String) -> Result<Self, SeedsError> {
        Self::from_list(&text)
    }
}

/// One of several parts of a run. As text: `2/4` is the second of four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, derive_more::Display)]
#[serde(into = "String", try_from = "String")]
#[display("{number}/{of}")]
pub struct Shard {
    number: usize,
    of: usize,
}

/// Invalid shard.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a shard: {detail}")]
pub struct ShardError {
    /// Text that was given.
    pub text: String,
    /// Description of the error with a valid alternative.
    pub detail: String,
}

impl Shard {
    /// Number of this shard, from 1.
    pub fn number(self) -> usize {
        self.number
    }

    /// Number of shards in the run.
    pub fn of(self) -> usize {
        self.of
    }

    /// Returns true if the shard contains the episode with this index in the whole run, from 0.
    pub fn has(self, idx: usize) -> bool {
        idx % self.of + 1 == self.number
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let refused = |detail: &str| ShardError {
            text: text.to_owned(),
            detail: detail.to_owned(),
        };
        let numbers = text
            .split_once('/')
            .and_then(|(number, of)| Some((number.parse().ok()?, of.parse().ok()?)));
        match numbers {
            None => Err(refused("write I/N, for example 2/4")),
            Some((_, 0)) => Err(refused("there must be at least one shard")),
            Some((0, of)) => Err(refused(&format!("shards are counted from 1 to {of}"))),
            Some((number, of)) if number > of => {
                Err(refused(&format!("shards are counted from 1 to {of}")))
            }
            Some((number, of)) => Ok(Self { number, of }),
        }
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_seeds_are_read_and_written_alike() {
        let seeds = Seeds::from_list("# the hard ones\n7, 3-5\n\n12 # alone\n").unwrap();
        assert_eq!(seeds.as_slice(), [3, 4, 5, 7, 12]);
        assert_eq!(seeds.to_string(), "3-5,7,12");
        assert_eq!(Seeds::from_list(&seeds.to_string()).unwrap(), seeds);
        assert_eq!(Seeds::first(100).to_string(), "0-99");
    }

    #[test]
    fn wrong_lists_are_refused_with_the_line() {
        let refused = |text: &str| Seeds::from_list(text).unwrap_err().to_string();
        assert_eq!(refused("1\n2\n1-3"), "line 3: seed 1 is listed twice");
        assert!(refused("1\ntwo").starts_with("line 2: `two` is not a seed"));
        assert!(refused("-4").starts_with("line 1: `-4` is not a seed"));
        let backwards = "line 1: the range `9-4` ends before it begins";
        assert_eq!(refused("9-4"), backwards);
        assert!(refused("0-99999999999").contains("more than"));
        assert!(refused("# none\n").contains("the list has no seed"));
    }

    #[test]
    fn every_episode_is_in_one_shard() {
        let shards: Vec<Shard> = (1..=4).map(|i| format!("{i}/4").parse().unwrap()).collect();
        for idx in 0..10 {
            assert_eq!(shards.iter().filter(|shard| shard.has(idx)).count(), 1);
        }
        for wrong in ["5/4", "0/4", "1/0", "0/0", "x", "1", "1/", "-1/4", "1/4/2"] {
            let message = wrong.parse::<Shard>().unwrap_err().to_string();
            let expected = format!("`{wrong}` is not a shard: ");
            assert!(message.starts_with(&expected), "{message}");
        }
    }
}
