//! Download of a run's folder as one file.

use std::fs;
use std::io::{self, Cursor, Write};
use std::path::Path;

use walkdir::WalkDir;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Maximum size of a folder, bytes: the zip file is made in memory.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// Packs a folder and its subfolders into a zip file, below the folder's name.
pub(crate) fn pack(folder: &Path) -> io::Result<Vec<u8>> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    let name = folder.file_name().map(|name| name.to_string_lossy());
    let name = name.map_or_else(|| "run".into(), |name| name.into_owned());
    let mut left = MAX_BYTES;
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() {
            let bytes = fs::read(entry.path())?;
            left = left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
            let below = entry
                .path()
                .strip_prefix(folder)
                .map_err(io::Error::other)?;
            let inner = Path::new(&name).join(below);
            writer.start_file_from_path(inner, SimpleFileOptions::default())?;
            writer.write_all(&bytes)?;
        }
    }
    Ok(writer.finish()?.into_inner())
}

fn too_large() -> io::Error {
    let most_mib = MAX_BYTES >> 20;
    let text = format!("the folder is larger than {most_mib} MiB; copy it from the disk");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}
