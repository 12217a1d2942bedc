//! Scanner for the records of an MCAP file, which may be truncated.
//!
//! Source: the MCAP format specification, version 0 (mcap.dev/spec). A file is a magic number,
//! records, and the magic number again. A record is a byte with its type, its length in eight
//! bytes, and its content. All numbers are little-endian; a string is preceded by its length in
//! four bytes.
//!
//! The crate `mcap`, which writes these files, decompresses chunks, checks their checksums and
//! splits records. The fields of records are read here because recordings may be untrusted: version
//! 0.26 panics on an attachment record that is shorter than its fields, and reserves 4 GB for a
//! string that claims that length.

use std::io::{self, Read, Seek, SeekFrom};

use mcap::MAGIC;
use mcap::records::op;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};

/// Number of bytes of a record before its content.
const RECORD_HEADER: u64 = 9;
/// Maximum length of a record, bytes. A longer one indicates damage and must not be allocated.
const MAX_RECORD: u64 = 1 << 30;
/// Size of a chunk's records, bytes, that is accepted in addition to [`MAX_RATIO`] times their
/// compressed size. The limit protects against files that expand until the memory is full.
const MAX_CHUNK: u64 = 8 << 20;
/// Largest accepted ratio of a chunk's size to its compressed size. A chunk of a world at rest,
/// which compresses best, has a ratio of 80.
const MAX_RATIO: u64 = 200;

/// Position and time range of a chunk.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChunkRef {
    /// Position of the chunk's record in the file.
    pub(crate) offset: u64,
    /// Length of the record.
    pub(crate) length: u64,
    pub(crate) start_ns: u64,
    pub(crate) end_ns: u64,
}

#[derive(Debug, Default)]
pub(crate) struct FileScan {
    pub(crate) chunks: Vec<ChunkRef>,
    /// Attachments: names and contents.
    pub(crate) attachments: Vec<(String, Vec<u8>)>,
    /// Position of an attachment that is too short or has a wrong checksum.
    pub(crate) damaged: Option<u64>,
    pub(crate) is_complete: bool,
}

pub(crate) enum Entry<'a> {
    Channel {
        id: u16,
        topic: String,
    },
    Message {
        channel: u16,
        time_ns: u64,
        data: &'a [u8],
    },
}

/// Scans a file record by record, without the content of chunks, up to its end or to the first
/// incomplete record. `None` if the file is not an MCAP file.
pub(crate) fn scan(file: &mut (impl Read + Seek)) -> io::Result<Option<FileScan>> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(0))?;
    let mut found = FileScan::default();
    let magic = read_up_to(file, MAGIC.len())?;
    // If the writer was killed at once, the file may contain only a part of the magic number.
    if !MAGIC.starts_with(&magic) {
        return Ok(None);
    }
    let mut offset = MAGIC.len() as u64;
    let mut head = [0; RECORD_HEADER as usize];
    while !found.is_complete && offset + RECORD_HEADER <= length {
        file.seek(SeekFrom::Start(offset))?;
        file.read_exact(&mut head)?;
        offset += RECORD_HEADER;
        let (kind, size) = (head[0], number(&head[1..]));
        if size > length - offset {
            break;
        }
        found.add(file, kind, offset, size)?;
        offset += size;
    }
    Ok(Some(found))
}

impl FileScan {
    fn add(&mut self, file: &mut impl Read, kind: u8, offset: u64, size: u64) -> io::Result<()> {
        match kind {
            op::CHUNK => {
                let mut times = read_up_to(file, 16)?;
                times.resize(16, 0);
                self.chunks.push(ChunkRef {
                    offset: offset - RECORD_HEADER,
                    length: size + RECORD_HEADER,
                    start_ns: number(&times[..8]),
                    end_ns: number(&times[8..]),
                });
            }
            op::ATTACHMENT if size <= MAX_RECORD => {
                let mut content = vec![0; size as usize];
                file.read_exact(&mut content)?;
                match attachment(&content) {
                    Some(attachment) => self.attachments.push(attachment),
                    None => self.damaged = self.damaged.or(Some(offset)),
                }
            }
            op::FOOTER => self.is_complete = true,
            _ => {}
        }
        Ok(())
    }
}

fn read_up_to(file: &mut impl Read, n_bytes: usize) -> io::Result<Vec<u8>> {
    let mut content = vec![];
    file.take(n_bytes as u64).read_to_end(&mut content)?;
    Ok(content)
}

/// Name and content of an attachment; `None` if the record is too short or its checksum is wrong.
fn attachment(content: &[u8]) -> Option<(String, Vec<u8>)> {
    let (mut fields, crc) = content.split_at_checked(content.len().checked_sub(4)?)?;
    // A checksum of 0 means that the attachment has none.
    if number(crc) != 0 && number(crc) != u64::from(crc32fast::hash(fields)) {
        return None;
    }
    fields.split_off(..16)?;
    let name = take_text(&mut fields)?;
    take_text(&mut fields)?;
    Some((name, take_long(&mut fields, 8)?.to_vec()))
}

/// Parses the record of a chunk and calls `take` with each of its entries.
///
/// # Errors
///
/// A description of the invalid record, or an error of `take`.
pub(crate) fn chunk_entries(
    mut record: &[u8],
    mut take: impl FnMut(Entry<'_>) -> Result<(), String>,
) -> Result<(), String> {
    let size = record.get(25..33).map_or(0, number);
    if size > MAX_CHUNK.saturating_add(MAX_RATIO * record.len() as u64) {
        return Err(format!(
            "a chunk of {} bytes cannot expand to {size} bytes",
            record.len()
        ));
    }
    let options = LinearReaderOptions::default()
        .with_skip_start_magic(true)
        .with_skip_end_magic(true)
        .with_prevalidate_chunk_crcs(true)
        .with_record_length_limit(MAX_RECORD as usize);
    let mut reader = LinearReader::new_with_options(options);
    while let Some(event) = reader.next_event() {
        match event.map_err(|error| error.to_string())? {
            LinearReadEvent::ReadRequest(n) => {
                let n = n.min(record.len());
                let (read, rest) = record.split_at(n);
                reader.insert(n).copy_from_slice(read);
                reader.notify_read(n);
                record = rest;
            }
            LinearReadEvent::Record { data, opcode } => {
                let entry = entry(opcode, data);
                let entry =
                    entry.ok_or_else(|| "a record is shorter than its fields".to_owned())?;
                entry.map_or(Ok(()), &mut take)?;
            }
        }
    }
    Ok(())
}

/// Parses a record. `None` if it is too short, `Some(None)` if its type is ignored.
fn entry(kind: u8, mut fields: &[u8]) -> Option<Option<Entry<'_>>> {
    Some(match kind {
        op::CHANNEL => {
            let id = take(&mut fields, 2)? as u16;
            fields.split_off(..2)?;
            let topic = take_text(&mut fields)?;
            Some(Entry::Channel { id, topic })
        }
        op::MESSAGE => {
            let channel = take(&mut fields, 2)? as u16;
            fields.split_off(..4)?;
            let time_ns = take(&mut fields, 8)?;
            fields.split_off(..8)?;
            Some(Entry::Message {
                channel,
                time_ns,
                data: fields,
            })
        }
        _ => None,
    })
}

/// Parses a little-endian number of up to eight bytes.
fn number(bytes: &[u8]) -> u64 {
    let digits = bytes.iter().take(8).rev();
    digits.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// Takes a number of `n_bytes` bytes from the front of `content`.
fn take(content: &mut &[u8], n_bytes: usize) -> Option<u64> {
    content.split_off(..n_bytes).map(number)
}

/// Takes bytes from the front of `content` that are preceded by their length in `n_bytes` bytes.
fn take_long<'a>(content: &mut &'a [u8], n_bytes: usize) -> Option<&'a [u8]> {
    let length = usize::try_from(take(content, n_bytes)?).ok()?;
    content.split_off(..length)
}

fn take_text(content: &mut &[u8]) -> Option<String> {
    let text = take_long(content, 4)?;
    Some(String::from_utf8_lossy(text).into_owned())
}
