//! Pairs of numbered files in folders.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// Returns the files that match a path with one `*`, by number.
fn numbered(pattern: &str) -> Result<BTreeMap<u64, PathBuf>, String> {
    let pattern = Path::new(pattern);
    let folder = match pattern.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let name = pattern.file_name().and_then(|n| n.to_str());
    let Some((before, after)) = name.and_then(|name| name.split_once('*')) else {
        return Err(format!("{} has no `*`", pattern.display()));
    };
    let failed = |error: std::io::Error| format!("list {}: {error}", folder.display());
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let number = path.file_name().and_then(|n| n.to_str()).and_then(|name| {
            let digits = name.strip_prefix(before)?.strip_suffix(after)?;
            digits.parse::<u64>().ok()
        });
        if let Some(number) = number {
            found.insert(number, path);
        }
    }
    Ok(found)
}

/// Files with colour and depth of one instant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    pub(crate) number: u64,
    pub(crate) color: PathBuf,
    pub(crate) depth: PathBuf,
}

impl Pair {
    /// Unix time at which the earlier of the two files was written, s.
    pub(crate) fn written_secs(&self) -> Result<f64, String> {
        let at = |path: &Path| {
            let modified = fs::metadata(path).and_then(|m| m.modified());
            let modified = modified.map_err(|e| format!("read {}: {e}", path.display()))?;
            let since = modified.duration_since(UNIX_EPOCH);
            Ok::<f64, String>(since.map_or(0.0, |since| since.as_secs_f64()))
        };
        Ok(at(&self.color)?.min(at(&self.depth)?))
    }
}

/// Returns all complete pairs, in ascending order.
pub(crate) fn pairs(color: &str, depth: &str) -> Result<Vec<Pair>, String> {
    let mut depths = numbered(depth)?;
    let pairs = numbered(color)?.into_iter().filter_map(|(number, color)| {
        let depth = depths.remove(&number)?;
        Some(Pair {
            number,
            color,
            depth,
        })
    });
    Ok(pairs.collect())
}
