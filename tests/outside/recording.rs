//! Splits recordings into messages, and builds recordings from messages.

use std::collections::BTreeMap;
use std::io::Cursor;

use mcap::records::MessageHeader;
use mcap::{Attachment, MessageStream, Summary, WriteOptions, Writer};

/// Maximum number of messages that are taken from a channel.
const OF_EACH: u16 = 3;

pub(crate) struct Parts {
    /// Information on the run.
    pub(crate) info: Attachment<'static>,
    /// First messages of each channel, each preceded by a line with the topic.
    pub(crate) messages: Vec<Vec<u8>>,
    /// The recording without compression and checksums, because these reveal almost any mutation.
    pub(crate) plain: Vec<u8>,
}

pub(crate) fn parts(recording: &[u8]) -> Parts {
    let summary = Summary::read(recording).unwrap().unwrap();
    let info = mcap::read::attachment(recording, &summary.attachment_indexes[0]).unwrap();
    let info = Attachment {
        data: info.data.into_owned().into(),
        ..info
    };
    let mut plain = begin(&info);
    let (mut messages, mut counts) = (vec![], BTreeMap::<_, u16>::new());
    for message in MessageStream::new(recording).unwrap() {
        let message = message.unwrap();
        plain.write(&message).unwrap();
        let n = counts.entry(message.channel.id).or_default();
        *n += 1;
        if *n <= OF_EACH {
            let topic = message.channel.topic.as_bytes();
            messages.push([topic, b"\n", &message.data].concat());
        }
    }
    Parts {
        info,
        messages,
        plain: end(plain),
    }
}

/// Builds a recording of one message, which is preceded by a line with the topic.
pub(crate) fn around(info: &Attachment<'_>, message: &[u8]) -> Vec<u8> {
    let mut lines = message.splitn(2, |byte| *byte == b'\n');
    let topic = String::from_utf8_lossy(lines.next().unwrap_or_default());
    let mut file = begin(info);
    let channel = file.add_channel(0, &topic, "json", &BTreeMap::new());
    let header = MessageHeader {
        channel_id: channel.unwrap(),
        sequence: 0,
        log_time: 0,
        publish_time: 0,
    };
    let data = lines.next().unwrap_or_default();
    file.write_to_known_channel(&header, data).unwrap();
    end(file)
}

fn begin(info: &Attachment<'_>) -> Writer<Cursor<Vec<u8>>> {
    let options = WriteOptions::new()
        .compression(None)
        .calculate_chunk_crcs(false)
        .calculate_attachment_crcs(false);
    let mut file = options.create(Cursor::new(vec![])).unwrap();
    file.attach(info).unwrap();
    file
}

fn end(mut file: Writer<Cursor<Vec<u8>>>) -> Vec<u8> {
    file.finish().unwrap();
    file.into_inner().into_inner()
}
