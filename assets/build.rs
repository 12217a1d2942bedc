//! Lists the built-in files: all in the folders beside this script, except pictures of the
//! documentation.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let mut paths = vec![];
    for entry in fs::read_dir(&root)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() && entry.file_name() != "pictures" {
            println!("cargo:rerun-if-changed={}", entry.path().display());
            add_files(&entry.path(), &mut paths)?;
        }
    }
    paths.sort();
    let mut list = "/// Path below `assets` and text of each built-in file.\n\
                    pub const FILES: &[(&str, &str)] = &[\n"
        .to_owned();
    for path in paths {
        let below = path.strip_prefix(&root).map_err(io::Error::other)?;
        let below = below.to_string_lossy().replace('\\', "/");
        list += &format!("({below:?}, include_str!({path:?})),\n");
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    fs::write(out.join("files.rs"), list + "];\n")
}

fn add_files(folder: &Path, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        match path.is_dir() {
            true => add_files(&path, paths)?,
            false => paths.push(path),
        }
    }
    Ok(())
}
