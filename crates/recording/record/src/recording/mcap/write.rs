//! Writing.

use std::fs::File;
use std::io::{self, Write};

use super::{MAGIC, op};

/// Bytes of a record before its content.
const RECORD_HEADER: usize = 9;
/// Chunks with pictures are written before their time, bytes.
const CHUNK_BYTES: usize = 1 << 20;

/// A file that is being written. What it was told is in the file after the next
/// [`McapFile::flush`], as one whole chunk.
pub(crate) struct McapFile {
    file: File,
    /// Where the next record begins.
    offset: u64,
    channels: Vec<Channel>,
    chunk: Chunk,
    /// Index records of the chunks so far, for the end of the file.
    chunk_indices: Vec<u8>,
    n_chunks: u32,
    attachment_indices: Vec<u8>,
    n_attachments: u32,
    /// First and last time of any message.
    times: Option<[u64; 2]>,
    /// A chunk with all that belongs to it, while it is put together.
    out: Vec<u8>,
}

struct Channel {
    /// The records of schema and channel.
    records: Vec<u8>,
    n_schema_bytes: usize,
    n_messages: u64,
    /// Time and place of each message in the present chunk.
    places: Vec<[u64; 2]>,
}

/// The chunk that is being filled.
#[derive(Default)]
struct Chunk {
    records: Vec<u8>,
    times: Option<[u64; 2]>,
}

impl McapFile {
    pub(crate) fn begin(mut file: File, library: &str) -> io::Result<Self> {
        let mut out = MAGIC.to_vec();
        record(&mut out, op::HEADER, |r| {
            text(r, "");
            text(r, library);
        });
        file.write_all(&out)?;
        Ok(Self {
            file,
            offset: out.len() as u64,
            channels: vec![],
            chunk: Chunk::default(),
            chunk_indices: vec![],
            n_chunks: 0,
            attachment_indices: vec![],
            n_attachments: 0,
            times: None,
            out,
        })
    }

    /// Adds a channel of JSON messages; returns its number.
    pub(crate) fn add_channel(&mut self, topic: &str, name: &str, schema: &str) -> u16 {
        let idx = self.channels.len() as u16;
        // A schema has its own number even if another channel has the same: 0 is none.
        let id = idx + 1;
        let mut records = vec![];
        record(&mut records, op::SCHEMA, |r| {
            r.extend(id.to_le_bytes());
            text(r, name);
            text(r, "jsonschema");
            text(r, schema);
        });
        let n_schema_bytes = records.len();
        record(&mut records, op::CHANNEL, |r| {
            r.extend(id.to_le_bytes());
            r.extend(id.to_le_bytes());
            text(r, topic);
            text(r, "json");
            r.extend(0_u32.to_le_bytes());
        });
        // Whoever reads from the start must know a channel before its first message.
        self.chunk.records.extend(&records);
        self.channels.push(Channel {
            records,
            n_schema_bytes,
            n_messages: 0,
            places: vec![],
        });
        id
    }

    /// Writes an attachment, outside of any chunk.
    pub(crate) fn attach(&mut self, name: &str, media_type: &str, data: &[u8]) -> io::Result<()> {
        let mut out = vec![];
        record(&mut out, op::ATTACHMENT, |r| {
            let start = r.len();
            r.extend([0; 16]);
            text(r, name);
            text(r, media_type);
            r.extend((data.len() as u64).to_le_bytes());
            r.extend(data);
            let crc = crc32fast::hash(&r[start..]);
            r.extend(crc.to_le_bytes());
        });
        let (offset, length) = (self.offset, out.len() as u64);
        record(&mut self.attachment_indices, op::ATTACHMENT_INDEX, |r| {
            numbers(r, [offset, length, 0, 0, data.len() as u64]);
            text(r, name);
            text(r, media_type);
        });
        self.n_attachments += 1;
        self.file.write_all(&out)?;
        self.offset += length;
        Ok(())
    }

    /// Adds a message to the present chunk. Numbers are those of [`McapFile::add_channel`].
    pub(crate) fn message(
        &mut self,
        channel: u16,
        sequence: u32,
        time_ns: u64,
        data: &[u8],
    ) -> io::Result<()> {
        let Some(idx) = usize::from(channel).checked_sub(1) else {
            return Ok(());
        };
        let Some(about) = self.channels.get_mut(idx) else {
            return Ok(());
        };
        about.n_messages += 1;
        let place = self.chunk.records.len() as u64;
        about.places.push([time_ns, place]);
        record(&mut self.chunk.records, op::MESSAGE, |r| {
            r.extend(channel.to_le_bytes());
            r.extend(sequence.to_le_bytes());
            numbers(r, [time_ns, time_ns]);
            r.extend(data);
        });
        include(&mut self.chunk.times, time_ns);
        include(&mut self.times, time_ns);
        if self.chunk.records.len() > CHUNK_BYTES {
            self.flush()?;
        }
        Ok(())
    }

    /// Writes the present chunk, if there is anything in it, in one go.
    pub(crate) fn flush(&mut self) -> io::Result<()> {
        if self.chunk.records.is_empty() {
            return Ok(());
        }
        let [start_ns, end_ns] = self.chunk.times.unwrap_or_default();
        let records = &self.chunk.records;
        let n_records = records.len() as u64;
        let out = &mut self.out;
        out.clear();
        record(out, op::CHUNK, |r| {
            numbers(r, [start_ns, end_ns, n_records]);
            r.extend(crc32fast::hash(records).to_le_bytes());
            text(r, "");
            numbers(r, [n_records]);
            r.extend(records);
        });
        let chunk_length = out.len() as u64;
        let mut index_offsets = vec![];
        for (id, channel) in (1_u16..).zip(&mut self.channels) {
            if channel.places.is_empty() {
                continue;
            }
            index_offsets.extend(id.to_le_bytes());
            index_offsets.extend((self.offset + out.len() as u64).to_le_bytes());
            record(out, op::MESSAGE_INDEX, |r| {
                r.extend(id.to_le_bytes());
                r.extend((16 * channel.places.len() as u32).to_le_bytes());
                numbers(r, channel.places.iter().flatten().copied());
            });
            channel.places.clear();
        }
        let offset = self.offset;
        let index_length = out.len() as u64 - chunk_length;
        record(&mut self.chunk_indices, op::CHUNK_INDEX, |r| {
            numbers(r, [start_ns, end_ns, offset, chunk_length]);
            r.extend((index_offsets.len() as u32).to_le_bytes());
            r.extend(&index_offsets);
            numbers(r, [index_length]);
            text(r, "");
            numbers(r, [n_records, n_records]);
        });
        self.n_chunks += 1;
        self.chunk.records.clear();
        self.chunk.times = None;
        self.file.write_all(&self.out)?;
        self.offset += self.out.len() as u64;
        Ok(())
    }

    /// Writes what is left, and the summary: channels, figures and indices.
    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.flush()?;
        let mut out = vec![];
        // A checksum of everything before is optional, and 0 where there is none.
        record(&mut out, op::DATA_END, |r| r.extend([0; 4]));
        let summary_start = out.len();
        let mut offsets = vec![];
        let mut group = |out: &mut Vec<u8>, kind: u8, records: &[u8]| {
            if records.is_empty() {
                return;
            }
            let start = self.offset + out.len() as u64;
            out.extend(records);
            record(&mut offsets, op::SUMMARY_OFFSET, |r| {
                r.push(kind);
                numbers(r, [start, records.len() as u64]);
            });
        };
        let described = self.channels.iter();
        let described = described.map(|c| c.records.split_at(c.n_schema_bytes));
        let (schemas, topics): (Vec<_>, Vec<_>) = described.unzip();
        group(&mut out, op::SCHEMA, &schemas.concat());
        group(&mut out, op::CHANNEL, &topics.concat());
        group(&mut out, op::STATISTICS, &self.statistics());
        group(&mut out, op::CHUNK_INDEX, &self.chunk_indices);
        group(&mut out, op::ATTACHMENT_INDEX, &self.attachment_indices);
        let offsets_start = self.offset + out.len() as u64;
        out.extend(&offsets);
        record(&mut out, op::FOOTER, |r| {
            numbers(r, [self.offset + summary_start as u64, offsets_start]);
            // So far, with the beginning of this record itself.
            let crc = crc32fast::hash(&r[summary_start..]);
            r.extend(crc.to_le_bytes());
        });
        out.extend(MAGIC);
        self.file.write_all(&out)
    }

    fn statistics(&self) -> Vec<u8> {
        let mut out = vec![];
        let n_channels = self.channels.len() as u32;
        let n_messages: u64 = self.channels.iter().map(|c| c.n_messages).sum();
        record(&mut out, op::STATISTICS, |r| {
            numbers(r, [n_messages]);
            r.extend((n_channels as u16).to_le_bytes());
            for n in [n_channels, self.n_attachments, 0, self.n_chunks] {
                r.extend(n.to_le_bytes());
            }
            numbers(r, self.times.unwrap_or_default());
            r.extend((10 * n_channels).to_le_bytes());
            for (id, channel) in (1_u16..).zip(&self.channels) {
                r.extend(id.to_le_bytes());
                numbers(r, [channel.n_messages]);
            }
        });
        out
    }
}

/// Appends a record with the content that `fill` appends.
fn record(out: &mut Vec<u8>, kind: u8, fill: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    out.push(kind);
    out.extend([0; 8]);
    // The footer's checksum is about its own length, too, which is known: 20 bytes.
    if kind == op::FOOTER {
        out[start + 1] = 20;
    }
    fill(out);
    let length = (out.len() - start - RECORD_HEADER) as u64;
    out[start + 1..start + RECORD_HEADER].copy_from_slice(&length.to_le_bytes());
}

fn numbers(out: &mut Vec<u8>, numbers: impl IntoIterator<Item = u64>) {
    out.extend(numbers.into_iter().flat_map(u64::to_le_bytes));
}

fn text(out: &mut Vec<u8>, text: &str) {
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

fn include(times: &mut Option<[u64; 2]>, time_ns: u64) {
    let [start, end] = times.unwrap_or([time_ns; 2]);
    *times = Some([start.min(time_ns), end.max(time_ns)]);
}
