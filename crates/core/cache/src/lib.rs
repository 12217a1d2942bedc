//! File cache for results of long computations (convex parts of meshes, spheres of robots), with
//! file names that contain a hash of all inputs.
//!
//! Entry points are [`folder`], [`Key`] and [`kept_or`]. If the folder or a file in it is unusable,
//! the value is computed again: the cache only saves time. It knows nothing about the values that
//! it stores, and never deletes a file.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use serde::Serialize;
use serde::de::DeserializeOwned;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Environment variable that names the folder; an empty value disables the cache.
pub const VARIABLE: &str = "REGRASP_CACHE_DIR";
const MAGIC: &[u8; 8] = b"RGCACHE2";
/// Largest file that is read, bytes.
const MAX_BYTES: u64 = 64 << 20;

/// Returns the folder that [`VARIABLE`] names, or else `regrasp` in the user's cache folder; `None`
/// if the variable is empty or the user's folder is unknown.
pub fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(named) if named.is_empty() => None,
        Some(named) => Some(PathBuf::from(named)),
        None => {
            let folder = choose_base_strategy().ok()?.cache_dir();
            Some(folder.join("regrasp"))
        }
    }
}

/// Hash of all inputs of a value.
#[derive(Clone)]
pub struct Key(Xxh3);

impl Key {
    /// Creates a key for a kind of value. Increase `version` whenever the same inputs give another
    /// value than before, since stored values are never compared with new ones.
    pub fn new(kind: &str, version: u32) -> Self {
        let mut hash = Xxh3::new();
        hash.update(kind.as_bytes());
        hash.update(&version.to_le_bytes());
        Self(hash)
    }

    /// Adds numbers, by their bits, and their count.
    pub fn numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        let mut n = 0u64;
        for number in numbers {
            self.0.update(&number.to_bits().to_le_bytes());
            n += 1;
        }
        self.0.update(&n.to_le_bytes());
    }

    /// Adds indices and their count.
    pub fn indices(&mut self, indices: impl IntoIterator<Item = u32>) {
        let mut n = 0u64;
        for index in indices {
            self.0.update(&index.to_le_bytes());
            n += 1;
        }
        self.0.update(&n.to_le_bytes());
    }

    /// Adds text and its length.
    pub fn text(&mut self, text: &str) {
        self.0.update(text.as_bytes());
        self.0.update(&(text.len() as u64).to_le_bytes());
    }

    fn digest(&self) -> u128 {
        self.0.digest128()
    }
}

/// Returns the value from the folder if it is there and `is_sound`; otherwise computes it with
/// `find` and stores it. The file name begins with `name`.
///
/// # Errors
///
/// Those of `find`; nothing is stored then.
pub fn kept_or<T: Serialize + DeserializeOwned, E>(
    folder: Option<&Path>,
    name: &str,
    key: &Key,
    is_sound: impl Fn(&T) -> bool,
    find: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    let path = folder.map(|folder| folder.join(format!("{name}-{:032x}.bin", key.digest())));
    if let Some(kept) = path.as_deref().and_then(load).filter(|kept| is_sound(kept)) {
        return Ok(kept);
    }
    let found = find()?;
    if let Some(path) = path {
        // If the value cannot be stored, the next process computes it again.
        let _ = keep(&path, &found);
    }
    Ok(found)
}

/// Value of a file; `None` if the file is missing, too large or damaged.
fn load<T: DeserializeOwned>(path: &Path) -> Option<T> {
    if fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let (check, payload) = bytes.strip_prefix(MAGIC)?.split_at_checked(8)?;
    if xxh3_64(payload).to_le_bytes() != check {
        return None;
    }
    postcard::from_bytes(payload).ok()
}

/// Writes a file atomically.
fn keep<T: Serialize>(path: &Path, value: &T) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let payload = postcard::to_stdvec(value).map_err(std::io::Error::other)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(MAGIC)?;
    file.write_all(&xxh3_64(&payload).to_le_bytes())?;
    file.write_all(&payload)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: f64) -> Key {
        let mut key = Key::new("test", 1);
        key.numbers([number]);
        key
    }

    fn value() -> Vec<[f64; 3]> {
        vec![[0.0, 0.1, -0.2], [0.3, 0.0, 0.125]]
    }

    fn never() -> Result<Vec<[f64; 3]>, String> {
        Err("it was computed again".to_owned())
    }

    fn any(_: &Vec<[f64; 3]>) -> bool {
        true
    }

    #[test]
    fn what_was_found_is_there_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("not/made/yet");
        let here = Some(&*below);
        assert_eq!(
            kept_or(here, "x", &key(7.0), any, || Ok::<_, String>(value())),
            Ok(value())
        );
        assert_eq!(kept_or(here, "x", &key(7.0), any, never), Ok(value()));
        let other = kept_or(here, "x", &key(8.0), any, never);
        assert!(other.is_err(), "a value was found under another key");
        let unsound = kept_or(here, "x", &key(7.0), |_| false, never);
        assert!(unsound.is_err(), "an unsound value was returned");
    }

    #[test]
    fn a_broken_file_is_found_anew_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let here = Some(folder.path());
        let find = || Ok::<_, String>(value());
        kept_or(here, "x", &key(7.0), any, find).unwrap();
        let entry = fs::read_dir(folder.path()).unwrap().next().unwrap();
        let path = entry.unwrap().path();
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        let cut = whole[..whole.len() - 3].to_vec();
        let broken = [vec![], cut, flipped, b"x".repeat(400)];
        for bytes in broken {
            fs::write(&path, &bytes).unwrap();
            let n = bytes.len();
            let kept = kept_or(here, "x", &key(7.0), any, never);
            assert!(kept.is_err(), "a broken file of {n} bytes was accepted");
            assert_eq!(kept_or(here, "x", &key(7.0), any, find), Ok(value()));
            assert_eq!(
                fs::read(&path).unwrap(),
                whole,
                "the broken file was not replaced"
            );
        }
    }

    #[test]
    fn without_a_folder_it_works_all_the_same() {
        let find = || Ok::<_, String>(value());
        assert_eq!(kept_or(None, "x", &key(7.0), any, find), Ok(value()));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a_file");
        fs::write(&file, "no folder").unwrap();
        assert_eq!(kept_or(Some(&file), "x", &key(7.0), any, find), Ok(value()));
    }
}
