//! Network files: which are accepted, and why others are rejected.

use castellan_nnue::{Network, ParseNetworkError as Error, pack};
use castellan_testkit::network::{NetworkShape, PlainNetwork};
use castellan_testkit::random::SplitMix64;

const SHAPE: NetworkShape = NetworkShape { hidden: 64, king_buckets: 2 };

fn plain() -> PlainNetwork {
    PlainNetwork::random(SHAPE, 1)
}

#[track_caller]
fn parse_error(file: &[u8]) -> Error {
    Network::parse(file).expect_err("the file is faulty")
}

/// Returns the error for a file with some bytes replaced.
#[track_caller]
fn error_with_bytes(at: usize, bytes: &[u8]) -> Error {
    let mut file = plain().to_file();
    file[at..][..bytes.len()].copy_from_slice(bytes);
    parse_error(&file)
}

#[test]
fn the_header_is_read() {
    let network = Network::parse(&plain().to_file()).unwrap();
    assert_eq!(network.name(), "random 1");
    assert_eq!((network.hidden(), network.king_buckets()), (64, 2));
}

#[test]
fn headers_with_other_values_are_refused() {
    assert_eq!(error_with_bytes(0, b"X"), Error::Magic);
    assert_eq!(parse_error(b""), Error::Magic);
    assert_eq!(error_with_bytes(8, &[2]), Error::Version(2));
    for hidden in [0_u32, 32, 96, 2112, 1 << 30] {
        assert_eq!(error_with_bytes(12, &hidden.to_le_bytes()), Error::Hidden(hidden));
    }
    assert_eq!(error_with_bytes(16, &[0]), Error::KingBuckets(0));
    assert_eq!(error_with_bytes(16, &[17]), Error::KingBuckets(17));
    assert_eq!(error_with_bytes(20, &[4]), Error::OutputBuckets(4));
    assert_eq!(error_with_bytes(24, &[254]), Error::Scales(254, 64, 400));
    assert_eq!(error_with_bytes(26, &[32]), Error::Scales(255, 32, 400));
    assert_eq!(error_with_bytes(28, &[0, 0]), Error::Scales(255, 64, 0));
    assert_eq!(error_with_bytes(30, &[1]), Error::Reserved(1));
    let error = Error::BucketTable { square: 3, bucket: 2, buckets: 2 };
    assert_eq!(error_with_bytes(32 + 3, &[2]), error);
    assert_eq!(error_with_bytes(98, &[0xff]), Error::Name);
}

#[test]
fn every_other_length_is_refused() {
    let file = plain().to_file();
    for len in (0..300).chain([file.len() / 2, file.len() - 33, file.len() - 1]) {
        let error = parse_error(&file[..len]);
        let is_expected =
            matches!(error, Error::Truncated { len: reported, .. } if reported == len);
        assert!(is_expected || len < 8 && error == Error::Magic, "{len} {error}");
    }
    let mut longer = file.clone();
    longer.push(0);
    let error = Error::TrailingBytes { expected: file.len(), len: file.len() + 1 };
    assert_eq!(parse_error(&longer), error);
}

#[test]
fn a_damaged_weight_is_noticed() {
    let file = plain().to_file();
    let mut random = SplitMix64::new(2);
    for _ in 0..50 {
        let mut damaged = file.clone();
        let at = 140 + random.below(file.len() - 140);
        damaged[at] ^= 1 << random.below(8);
        assert_eq!(parse_error(&damaged), Error::Digest, "{at}");
    }
}

#[test]
fn weights_that_could_overflow_are_refused() {
    let check = |change: fn(&mut PlainNetwork), expected: Error| {
        let mut plain = plain();
        change(&mut plain);
        assert_eq!(parse_error(&plain.to_file()), expected);
    };
    check(|plain| plain.features[70] = 506, Error::FeatureWeight { index: 70, value: 506 });
    check(|plain| plain.features[9] = i16::MIN, Error::FeatureWeight { index: 9, value: i16::MIN });
    check(|plain| plain.bias[5] = -16_608, Error::FeatureBias { index: 5, value: -16_608 });
    check(|plain| plain.output[33] = 128, Error::OutputWeight { index: 33, value: 128 });
}

#[test]
fn packed_networks_are_read_like_plain_ones() {
    let file = plain().to_file();
    let packed = pack(&file);
    assert!(packed.len() < file.len());
    assert_eq!(Network::parse(&packed).unwrap().name(), "random 1");
    // A name with an odd length moves the weights to odd offsets.
    let odd = PlainNetwork { name: "odd".into(), ..plain() }.to_file();
    assert_ne!(odd.len() % 2, file.len() % 2);
    assert_eq!(Network::parse(&pack(&odd)).unwrap().name(), "odd");
}

#[test]
fn damaged_packed_networks_are_refused() {
    let file = plain().to_file();
    let packed = pack(&file);
    for len in (8..40).chain([packed.len() - 1, packed.len() / 2]) {
        parse_error(&packed[..len]);
    }
    let mut random = SplitMix64::new(4);
    for _ in 0..50 {
        let mut damaged = packed.clone();
        damaged[8 + random.below(packed.len() - 8)] ^= 1 << random.below(8);
        parse_error(&damaged);
    }
    let mut huge = packed.clone();
    huge[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    assert_eq!(parse_error(&huge), Error::PackedLength(u32::MAX));
    let mut short = packed;
    short[8..12].copy_from_slice(&100_u32.to_le_bytes());
    assert_eq!(parse_error(&short), Error::Packed { expected: 100 });
}

#[test]
fn errors_say_where_and_why() {
    let message = parse_error(&plain().to_file()[..200]).to_string();
    let expected = "the file ends at byte 200, within the feature weights (from byte 138)";
    assert_eq!(message, expected);
}
