//! Minimal MCAP reader and writer to take recordings apart and to build them.

const MAGIC: &[u8] = b"\x89MCAP0\r\n";
const CHANNEL: u8 = 4;
const MESSAGE: u8 = 5;
const CHUNK: u8 = 6;
const ATTACHMENT: u8 = 9;

#[derive(Default)]
pub(crate) struct Parts {
    /// Content of the attachment with the recording's information.
    pub(crate) info: Vec<u8>,
    /// Messages of each channel, preceded by a line with the topic.
    pub(crate) messages: Vec<Vec<u8>>,
}

/// Extracts the parts of a recording and clears its checksums, because otherwise every mutation
/// would end at a checksum.
pub(crate) fn parts(recording: &mut [u8]) -> Parts {
    let mut parts = Parts::default();
    let mut at = MAGIC.len();
    let mut topics = vec![];
    while at + 9 <= recording.len() {
        let (kind, size) = (recording[at], number(&recording[at + 1..at + 9]));
        let content = &mut recording[at + 9..at + 9 + size];
        match kind {
            ATTACHMENT if parts.info.is_empty() => parts.info = content.to_vec(),
            CHUNK => {
                content[24..28].fill(0);
                messages(&content[40..], &mut topics, &mut parts.messages);
            }
            _ => {}
        }
        at += 9 + size;
        if recording[at..].starts_with(MAGIC) {
            break;
        }
    }
    parts
}

/// Id of a channel, its topic, and the number of messages taken from it.
type Topic = (usize, Vec<u8>, usize);

/// Collects a few messages of each channel. Only the first chunk describes the channels.
fn messages(mut records: &[u8], topics: &mut Vec<Topic>, found: &mut Vec<Vec<u8>>) {
    const OF_EACH: usize = 3;
    while records.len() >= 9 {
        let (kind, size) = (records[0], number(&records[1..9]));
        let content = &records[9..9 + size];
        match kind {
            CHANNEL => {
                let length = number(&content[4..8]);
                topics.push((number(&content[..2]), content[8..8 + length].to_vec(), 0));
            }
            MESSAGE => {
                let id = number(&content[..2]);
                if let Some((_, topic, n)) = topics.iter_mut().find(|(known, ..)| *known == id) {
                    *n += 1;
                    if *n <= OF_EACH {
                        found.push([topic.as_slice(), b"\n", &content[22..]].concat());
                    }
                }
            }
            _ => {}
        }
        records = &records[9 + size..];
    }
}

/// Builds a recording of one message, which is preceded by a line with the topic.
pub(crate) fn around(info: &[u8], message: &[u8]) -> Vec<u8> {
    let mut lines = message.splitn(2, |byte| *byte == b'\n');
    let topic = lines.next().unwrap_or_default();
    let data = lines.next().unwrap_or_default();
    let channel = [&[1, 0, 1, 0], &text(topic)[..], &text(b"json"), &[0; 4]].concat();
    let message = [&[1, 0][..], &[0; 4], &[0; 16], data].concat();
    let records = [record(CHANNEL, &channel), record(MESSAGE, &message)].concat();
    let size = (records.len() as u64).to_le_bytes();
    let chunk = [&[0; 16][..], &size, &[0; 4], &text(b""), &size, &records].concat();
    [MAGIC, &record(ATTACHMENT, info), &record(CHUNK, &chunk)].concat()
}

fn record(kind: u8, content: &[u8]) -> Vec<u8> {
    let size = (content.len() as u64).to_le_bytes();
    [&[kind][..], &size, content].concat()
}

fn text(text: &[u8]) -> Vec<u8> {
    let length = (text.len() as u32).to_le_bytes();
    [&length[..], text].concat()
}

fn number(bytes: &[u8]) -> usize {
    let digits = bytes.iter().rev();
    digits.fold(0, |number, byte| number << 8 | usize::from(*byte))
}
