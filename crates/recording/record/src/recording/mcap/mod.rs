//! The MCAP container, as far as recordings need it: chunks without compression, an index,
//! attachments.
//!
//! Source: the MCAP format specification, version 0 (mcap.dev/spec). A file is a magic
//! number, records, and the magic number again; a record is a byte that says what it is, its
//! length in eight bytes, and its content. All numbers are little-endian; a text has its
//! length before it in four bytes.
//!
//! Why not crate `mcap`: 0.26 panics on an attachment record that is shorter than its fields and
//! reserves 4 GB for a text that claims to be so long (both tried), and recordings come from
//! outside. Its writer alone would save 250 lines here and add 13 crates, 15 CPU seconds, to the
//! first build.

mod read;
mod write;

pub(crate) use read::{ChunkRef, Entry, chunk_entries, scan};
pub(crate) use write::McapFile;

const MAGIC: [u8; 8] = *b"\x89MCAP0\r\n";

/// What records are.
mod op {
    pub(super) const HEADER: u8 = 0x01;
    pub(super) const FOOTER: u8 = 0x02;
    pub(super) const SCHEMA: u8 = 0x03;
    pub(super) const CHANNEL: u8 = 0x04;
    pub(super) const MESSAGE: u8 = 0x05;
    pub(super) const CHUNK: u8 = 0x06;
    pub(super) const MESSAGE_INDEX: u8 = 0x07;
    pub(super) const CHUNK_INDEX: u8 = 0x08;
    pub(super) const ATTACHMENT: u8 = 0x09;
    pub(super) const ATTACHMENT_INDEX: u8 = 0x0a;
    pub(super) const STATISTICS: u8 = 0x0b;
    pub(super) const SUMMARY_OFFSET: u8 = 0x0e;
    pub(super) const DATA_END: u8 = 0x0f;
}
