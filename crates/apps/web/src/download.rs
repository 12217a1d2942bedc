//! Download of a run's folder as one file.

use std::fs;
use std::io::{self, Cursor, Write};
use std::path::Path;

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
    add(&mut writer, folder, &name, &mut left)?;
    Ok(writer.finish()?.into_inner())
}

fn add(
    writer: &mut ZipWriter<Cursor<Vec<u8>>>,
    folder: &Path,
    name: &str,
    left: &mut u64,
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let path = entry.path();
        let inner = format!("{name}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type()?;
        if kind.is_dir() {
            add(writer, &path, &inner, left)?;
        } else if kind.is_file() {
            let bytes = fs::read(&path)?;
            *left = left.checked_sub(bytes.len() as u64).ok_or_else(too_large)?;
            writer.start_file(inner, SimpleFileOptions::default())?;
            writer.write_all(&bytes)?;
        }
    }
    Ok(())
}

fn too_large() -> io::Error {
    let most_mib = MAX_BYTES >> 20;
    let text = format!("the folder is larger than {most_mib} MiB; copy it from the disk");
    io::Error::new(io::ErrorKind::FileTooLarge, text)
}
