//! Tests with hand-made pickles, valid and invalid.

use super::*;

/// A pickle that rebuilds an array of 2 x 2 numbers, without its last operations.
fn array_of(numbers: &[f64], is_by_column: bool) -> Vec<u8> {
    let mut out = b"\x80\x04\x95\0\0\0\0\0\0\0\0\x8c\x16numpy._core.multiarray\x94".to_vec();
    out.extend(b"\x8c\x0c_reconstruct\x94\x93\x94\x8c\x05numpy\x94\x8c\x07ndarray\x94\x93\x94");
    out.extend(b"K\0\x85\x94C\x01b\x94\x87\x94R\x94(K\x01K\x02K\x02\x86\x94");
    out.extend(b"h\x03\x8c\x05dtype\x94\x93\x94\x8c\x02f4\x94\x89\x88\x87\x94R\x94");
    out.extend(b"(K\x03\x8c\x01<\x94NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\0t\x94b");
    out.extend([if is_by_column { 0x88 } else { 0x89 }]);
    out.push(b'C');
    out.push(u8::try_from(4 * numbers.len()).unwrap_or(u8::MAX));
    out.extend(numbers.iter().flat_map(|n| (*n as f32).to_le_bytes()));
    out
}

fn whole(numbers: &[f64], is_by_column: bool) -> Vec<u8> {
    let mut bytes = array_of(numbers, is_by_column);
    bytes.extend(b"\x94t\x94b.");
    bytes
}

#[test]
fn single_precision_by_columns_and_protocol_4_are_read() {
    for (is_by_column, expected) in [(false, [1.0, 2.0, 3.0, 4.0]), (true, [1.0, 3.0, 2.0, 4.0])] {
        let read = array(&whole(&[1.0, 2.0, 3.0, 4.0], is_by_column)).expect("an array");
        assert_eq!((read.shape, read.numbers), (vec![2, 2], expected.to_vec()));
    }
}

#[track_caller]
fn check_refused(bytes: &[u8], part: &str) {
    let message = array(bytes).expect_err("refused");
    assert!(message.contains(part), "{message}");
}

#[test]
fn what_is_no_array_of_numbers_is_refused_with_its_place() {
    check_refused(&whole(&[1.0, 2.0, 3.0], false), "16 bytes, but has 12");
    check_refused(b"\x80\x05.", "protocol 5");
    check_refused(b"\x80\x02]q\x00.", "at byte 2: operation 0x5d (`]`)");
    check_refused(b"\x80\x02cbuiltins\neval\n", "`builtins.eval`");
    check_refused(b"\x80\x02K\x01.", "something other");
    check_refused(b"\x80\x02h\x07.", "no value was stored as 7");
    check_refused(b"\x80\x02R.", "missing on the stack");
    check_refused(b"\x80\x02(t", "truncated");
    check_refused(&[b'N'; 20_000], "more than 10000 operations");
    check_refused(b"X\xff\xff\xff\xffa", "truncated");
}

#[test]
fn no_byte_that_is_changed_or_cut_off_makes_it_panic() {
    let good = whole(&[1.0, 2.0, 3.0, 4.0], false);
    for i in 0..good.len() {
        assert!(array(&good[..i]).is_err(), "cut off at {i}");
        for bit in 0..8 {
            let mut bytes = good.clone();
            bytes[i] ^= 1 << bit;
            drop(array(&bytes));
        }
    }
}
