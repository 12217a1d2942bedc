//! Merging of shards.

use std::collections::BTreeMap;
use std::path::Path;

use crate::{BenchConfig, BenchError, BenchFolder, Record};

/// Merges the shards of one run into a new folder, records in the order of the shards.
///
/// # Errors
///
/// [`BenchError`] if the folders are not all shards of one run, each exactly once and complete, or
/// if files cannot be read or written.
pub fn merge_shards<R: Record>(
    folders: &[BenchFolder],
    out: &Path,
) -> Result<BenchFolder, BenchError> {
    let (config, in_order) = check(folders)?;
    for folder in &in_order {
        let (missing, path) = (folder.read(|_: R| {})?, folder.path().display());
        if let Some(first) = missing.first() {
            let lacks = format!("{} of its episodes (the first is {first})", missing.len());
            let why = format!("`{path}` lacks {lacks}; complete it with --resume");
            return refused(why);
        }
    }
    let merged = BenchFolder::create(out, config)?;
    let mut ledger = merged.ledger()?;
    for folder in in_order {
        let mut written = Ok(());
        folder.read(|record: R| {
            if written.is_ok() {
                written = ledger.append(&record);
            }
        })?;
        written?;
    }
    Ok(merged)
}

fn refused<T>(why: String) -> Result<T, BenchError> {
    Err(BenchError(format!("merge the shards: {why}")))
}

/// Returns the configuration of the whole run, and the folders in the order of their shards.
fn check(folders: &[BenchFolder]) -> Result<(BenchConfig, Vec<&BenchFolder>), BenchError> {
    let Some(first) = folders.first() else {
        return refused("no shard was given".into());
    };
    let shown = |folder: &BenchFolder| format!("`{}`", folder.path().display());
    let whole = first.config().whole();
    let mut n_shards = None;
    let mut by_number: BTreeMap<usize, &BenchFolder> = BTreeMap::new();
    for folder in folders {
        let (first, this) = (shown(first), shown(folder));
        let Some(shard) = folder.config().shard else {
            return refused(format!("{this} is a whole run, not a shard"));
        };
        let differences = BenchConfig::differences(&whole, &folder.config().whole());
        if !differences.is_empty() {
            let why = format!("{first} and {this} belong to different runs: ");
            return refused(why + &differences.join("; "));
        }
        let (of, other) = (*n_shards.get_or_insert(shard.of()), shard.of());
        if of != other {
            let why = format!("{first} is one of {of} shards, but {this} is one of {other}");
            return refused(why);
        }
        if let Some(other) = by_number.insert(shard.number(), folder) {
            let twice = format!("{} and {this}", shown(other));
            return refused(format!("shard {shard} is given twice, as {twice}"));
        }
    }
    let of = n_shards.unwrap_or_default();
    let missing: Vec<_> = (1..=of).filter(|n| !by_number.contains_key(n)).collect();
    if !missing.is_empty() {
        let missing: Vec<_> = missing.iter().map(|n| format!("{n}/{of}")).collect();
        return refused(format!("these shards are missing: {}", missing.join(", ")));
    }
    Ok((whole, by_number.into_values().collect()))
}
