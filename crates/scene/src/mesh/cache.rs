//! Convex parts that were found before, in files named by a hash of all that they depend on.
//!
//! Whatever is wrong with the folder or a file in it, the parts are found anew: a cache saves
//! time, and nothing else depends on it.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use etcetera::{BaseStrategy, choose_base_strategy};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::triangles::Mesh;
use crate::geometry::MAX_PART_CORNERS;

/// The environment variable that names the folder; empty for none.
pub(super) const VARIABLE: &str = "REGRASP_CACHE_DIR";
/// To be raised whenever the same mesh is split in another way than before: what is in a file
/// is not looked into again.
pub(super) const VERSION: u32 = 1;
/// How each file begins.
const MAGIC: &[u8; 8] = b"RGPARTS1";
/// The largest file that is read, bytes.
const MAX_BYTES: u64 = 16 << 20;

/// Corners of convex parts.
pub(super) type Parts = Vec<Vec<[f64; 3]>>;

/// The user's folder for such files, if there is one.
pub(super) fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(named) if named.is_empty() => None,
        Some(named) => Some(PathBuf::from(named)),
        None => {
            let folder = choose_base_strategy().ok()?.cache_dir();
            Some(folder.join("regrasp"))
        }
    }
}

/// Of a mesh as it is in the scene (in metres, to the last bit) and how it is split.
pub(super) fn key(mesh: &Mesh, max_parts: u32) -> u128 {
    let mut hash = Xxh3::new();
    hash.update(&VERSION.to_le_bytes());
    hash.update(&max_parts.to_le_bytes());
    hash.update(&(mesh.vertices.len() as u64).to_le_bytes());
    for x in mesh.vertices.iter().flatten() {
        hash.update(&x.to_bits().to_le_bytes());
    }
    for index in mesh.triangles.iter().flatten() {
        hash.update(&index.to_le_bytes());
    }
    hash.digest128()
}

/// The parts that `find` finds: from the folder, if they are there, and kept there if not.
pub(super) fn parts_or(
    folder: Option<&Path>,
    key: u128,
    find: impl FnOnce() -> Result<Parts, String>,
) -> Result<Parts, String> {
    let path = folder.map(|folder| folder.join(format!("parts-{key:032x}.bin")));
    if let Some(parts) = path.as_deref().and_then(load) {
        return Ok(parts);
    }
    let parts = find()?;
    if let Some(path) = path {
        // Without the file the next run takes as long as this one; that is all.
        let _ = keep(&path, &parts);
    }
    Ok(parts)
}

/// What a file holds, if it is whole.
fn load(path: &Path) -> Option<Parts> {
    if fs::metadata(path).ok()?.len() > MAX_BYTES {
        return None;
    }
    let bytes = fs::read(path).ok()?;
    let (check, payload) = bytes.strip_prefix(MAGIC)?.split_at_checked(8)?;
    if xxh3_64(payload).to_le_bytes() != check {
        return None;
    }
    let parts: Parts = postcard::from_bytes(payload).ok()?;
    let is_sound = |part: &Vec<[f64; 3]>| {
        (4..=MAX_PART_CORNERS).contains(&part.len()) && part.iter().flatten().all(|x| x.is_finite())
    };
    (!parts.is_empty() && parts.iter().all(is_sound)).then_some(parts)
}

/// Writes a file that is there as a whole or not at all.
fn keep(path: &Path, parts: &Parts) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let payload = postcard::to_stdvec(parts).map_err(std::io::Error::other)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(MAGIC)?;
    file.write_all(&xxh3_64(&payload).to_le_bytes())?;
    file.write_all(&payload)?;
    file.persist(path)?;
    Ok(())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is how a test fails")]
mod tests {
    use super::*;

    const KEY: u128 = 7;

    fn parts() -> Parts {
        vec![vec![
            [0.0, 0.1, -0.2],
            [0.3, 0.0, 0.0],
            [0.0, 0.25, 0.0],
            [0.0, 0.0, 0.125],
        ]]
    }

    fn never() -> Result<Parts, String> {
        Err("they were looked for again".to_owned())
    }

    #[test]
    fn what_was_found_is_there_to_the_last_bit() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("not/made/yet");
        assert_eq!(parts_or(Some(&below), KEY, || Ok(parts())), Ok(parts()));
        assert_eq!(parts_or(Some(&below), KEY, never), Ok(parts()));
        assert!(
            parts_or(Some(&below), KEY + 1, never).is_err(),
            "another key"
        );
    }

    #[test]
    fn a_broken_file_is_found_anew_and_mended() {
        let folder = tempfile::tempdir().unwrap();
        let here = Some(folder.path());
        parts_or(here, KEY, || Ok(parts())).unwrap();
        let path = fs::read_dir(folder.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let whole = fs::read(&path).unwrap();
        let mut flipped = whole.clone();
        flipped[whole.len() / 2] ^= 1;
        let broken = [
            vec![],
            whole[..whole.len() - 3].to_vec(),
            flipped,
            b"x".repeat(400),
        ];
        for bytes in broken {
            fs::write(&path, &bytes).unwrap();
            assert!(
                parts_or(here, KEY, never).is_err(),
                "{} bytes were believed",
                bytes.len()
            );
            assert_eq!(parts_or(here, KEY, || Ok(parts())), Ok(parts()));
            assert_eq!(fs::read(&path).unwrap(), whole, "the file is mended");
        }
    }

    #[test]
    fn without_a_folder_it_works_all_the_same() {
        assert_eq!(parts_or(None, KEY, || Ok(parts())), Ok(parts()));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a_file");
        fs::write(&file, "no folder").unwrap();
        assert_eq!(parts_or(Some(&file), KEY, || Ok(parts())), Ok(parts()));
    }
}
