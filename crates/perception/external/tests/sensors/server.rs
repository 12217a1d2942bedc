//! A server on the loopback interface with scripted answers.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

/// Starts a server that answers a path with a status and a body; returns its address.
pub(crate) fn server(mut answer: impl FnMut(&str) -> (u16, Vec<u8>) + Send + 'static) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            let lines = lines.map_while(Result::ok);
            let _ = lines.take_while(|l| !l.is_empty()).count();
            let path = first.split(' ').nth(1).unwrap().to_owned();
            let (status, body) = answer(&path);
            let n = body.len();
            let head = format!("HTTP/1.1 {status} x\r\ncontent-length: {n}\r\n");
            let head = head + "connection: close\r\n\r\n";
            let _ = stream.write_all(head.as_bytes());
            let _ = stream.write_all(&body);
        }
    });
    format!("http://{address}")
}
