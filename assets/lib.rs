//! Built-in files: robots, scenes, tasks, policy mappings and schemas, compiled into the programs.
//!
//! The crate reads nothing at run time and interprets nothing: the crates that know a format parse
//! its files. [`workspace_root`] is for tests and benches, which also read files that are not built
//! in.

use std::path::{Path, PathBuf};

include!(concat!(env!("OUT_DIR"), "/files.rs"));

/// Returns the text of a built-in file by its path below `assets`.
pub const fn find(path: &str) -> Option<&'static str> {
    let mut i = 0;
    while i < FILES.len() {
        if equal(FILES[i].0.as_bytes(), path.as_bytes()) {
            return Some(FILES[i].1);
        }
        i += 1;
    }
    None
}

/// Returns the text of a built-in file that is known to exist. In a constant, a wrong path is a
/// compile error.
///
/// # Panics
///
/// Panics if no built-in file has this path.
pub const fn text(path: &str) -> &'static str {
    find(path).expect("no built-in file has this path")
}

const fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// Folder of the built-in files in the checkout that this crate was compiled from.
pub fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Root of the checkout that this crate was compiled from.
pub fn workspace_root() -> PathBuf {
    folder().join("..")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_data_file_is_built_in() {
        let mut on_disk = BTreeSet::new();
        let mut folders = vec![folder().to_owned()];
        while let Some(parent) = folders.pop() {
            for entry in std::fs::read_dir(parent).expect("the folder is readable") {
                let path = entry.expect("an entry").path();
                let below = path.strip_prefix(folder()).expect("it is below the folder");
                if path.is_dir() {
                    folders.push(path);
                } else if below.components().count() > 1 && !below.starts_with("pictures") {
                    on_disk.insert(below.to_string_lossy().replace('\\', "/"));
                }
            }
        }
        let built_in = FILES.iter().map(|(path, _)| (*path).to_owned());
        assert_eq!(built_in.collect::<BTreeSet<_>>(), on_disk);
    }

    #[test]
    fn a_file_is_found_by_its_whole_path_only() {
        const SCENE: &str = text("scenes/tabletop.yaml");
        assert!(SCENE.contains("objects"));
        assert_eq!(find("scenes/tabletop"), None);
        assert_eq!(find("scenes/tabletop.yaml2"), None);
    }
}
