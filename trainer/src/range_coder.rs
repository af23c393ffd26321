//! An adaptive binary range coder.
//!
//! [`Encoder`] and [`Decoder`] implement the same trait, so that a model is written once for both
//! directions: the encoder is given each bit and returns it, the decoder ignores what it is given
//! and returns what was encoded.

/// An adaptive estimate of how likely a bit is to be set: the mean of a fast and a slow average.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Chance {
    fast: u16,
    slow: u16,
}

/// Bits of precision of a probability in the coder.
const PRECISION: u32 = 12;

impl Default for Chance {
    fn default() -> Chance {
        Chance { fast: 1 << 15, slow: 1 << 15 }
    }
}

impl Chance {
    /// Returns the probability in units of 2^-12, never certain.
    fn share(self) -> u32 {
        let mean = (u32::from(self.fast) + u32::from(self.slow)) / 2;
        (mean >> (16 - PRECISION)).clamp(1, (1 << PRECISION) - 1)
    }

    fn learn(&mut self, bit: bool) {
        let step = |average: u16, shift: u32| {
            if bit {
                average + ((u16::MAX - average) >> shift)
            } else {
                average - (average >> shift)
            }
        };
        *self = Chance { fast: step(self.fast, 4), slow: step(self.slow, 7) };
    }
}

/// One direction of the coder.
pub(crate) trait Coder {
    /// Codes a bit with an adaptive probability.
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool;

    /// Codes `count` bits of a number, highest first, each as likely set as not.
    fn plain_bits(&mut self, count: u32, number: u32) -> u32 {
        (0..count).rev().fold(0, |read, index| {
            let bit = self.bit(&mut Chance::default(), number >> index & 1 == 1);
            read << 1 | u32::from(bit)
        })
    }
}

/// Writes bits.
#[derive(Debug)]
pub(crate) struct Encoder {
    low: u64,
    range: u32,
    /// The last byte that a carry may still change, and how many bytes of 255 follow it.
    held: u8,
    held_count: u64,
    bytes: Vec<u8>,
}

impl Default for Encoder {
    fn default() -> Encoder {
        Encoder { low: 0, range: u32::MAX, held: 0, held_count: 1, bytes: Vec::new() }
    }
}

impl Encoder {
    /// Ends the code and returns its bytes.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        for _ in 0..5 {
            self.shift();
        }
        self.bytes
    }

    fn shift(&mut self) {
        let carry = (self.low >> 32) as u8;
        if self.low < 0xff00_0000 || carry != 0 {
            let mut byte = self.held;
            for _ in 0..self.held_count {
                self.bytes.push(byte.wrapping_add(carry));
                byte = 0xff;
            }
            self.held_count = 0;
            self.held = (self.low >> 24) as u8;
        }
        self.held_count += 1;
        self.low = (self.low & 0x00ff_ffff) << 8;
    }
}

impl Coder for Encoder {
    fn bit(&mut self, chance: &mut Chance, bit: bool) -> bool {
        let bound = (self.range >> PRECISION) * chance.share();
        if bit {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        chance.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

/// Reads bits. Beyond the end it reads zeros, so the caller has to check what comes out.
#[derive(Debug)]
pub(crate) struct Decoder<'a> {
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Decoder<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Decoder<'a> {
        let mut decoder = Decoder { code: 0, range: u32::MAX, bytes: bytes.iter() };
        (0..5).for_each(|_| decoder.shift());
        decoder
    }

    fn shift(&mut self) {
        let byte = self.bytes.next().copied().unwrap_or(0);
        self.code = self.code << 8 | u32::from(byte);
    }
}

impl Coder for Decoder<'_> {
    fn bit(&mut self, chance: &mut Chance, _: bool) -> bool {
        let bound = (self.range >> PRECISION) * chance.share();
        let bit = self.code < bound;
        if bit {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        chance.learn(bit);
        while self.range < 1 << 24 {
            self.range <<= 8;
            self.shift();
        }
        bit
    }
}

#[cfg(test)]
mod tests {
    use castellan_testkit::random::SplitMix64;

    use super::*;

    #[test]
    fn bits_come_back_and_likely_ones_are_short() {
        let mut rng = SplitMix64::new(1);
        for percent in [0, 1, 20, 50, 99, 100] {
            let bits: Vec<bool> = (0..20_000).map(|_| rng.chance(percent)).collect();
            let (mut encoder, mut chance) = (Encoder::default(), Chance::default());
            for (index, &bit) in bits.iter().enumerate() {
                encoder.bit(&mut chance, bit);
                encoder.plain_bits(3, index as u32 & 7);
            }
            let bytes = encoder.finish();
            let (mut decoder, mut chance) = (Decoder::new(&bytes), Chance::default());
            for (index, &bit) in bits.iter().enumerate() {
                assert_eq!(decoder.bit(&mut chance, false), bit, "bit {index} of {percent} %");
                assert_eq!(decoder.plain_bits(3, 0), index as u32 & 7);
            }
            let adaptive = bytes.len() as f64 * 8.0 - 3.0 * bits.len() as f64;
            let most = if percent % 100 == 0 { 0.02 } else { 1.05 };
            assert!(adaptive < most * bits.len() as f64, "{percent} %: {adaptive} bits");
        }
    }
}
