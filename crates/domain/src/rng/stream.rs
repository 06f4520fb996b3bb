//! A stream of random numbers keyed by (seed, purpose, step, evaluation), read in order or at any position.
//!
//! Philox counter words: `[block, evaluation, step low, step high (24 bits) | kind (1 bit) | purpose (7 bits)]`; the key
//! is the seed. A block holds two 64-bit words, so a stream has 2³³ positions before it repeats. Eight blocks form a
//! group of sixteen positions: the first words of all eight, then the second words, the order that vector code likes.
//! `kind` keeps normals apart from uniforms drawn at the same positions; normal p is number p mod 2 of block ⌊p/2⌋.

use super::philox::{GROUP, LANES, fill_unit, philox4x32_10, unit};

/// What a random number is for; streams of different purposes are independent for the same seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// Starting weights of a network.
    Weights,
    /// Points in the interior of a domain.
    Interior,
    /// Points on its boundary.
    Boundary,
    /// Points at the initial time.
    Initial,
    /// Points at which errors are measured.
    Evaluation,
    /// Shifts within the trust region around each point.
    Region,
    /// Order of points and make-up of mini-batches.
    Batch,
    /// Candidates and choices of adaptive sampling.
    Adaptive,
    /// Noise added to data.
    Noise,
    /// Random directions, such as those that start a power iteration.
    Direction,
    /// Digit permutations of low-discrepancy sequences.
    Scramble,
    /// Anything else, numbered by the caller; only the low six bits count.
    Custom(u8),
}

impl Purpose {
    /// Seven bits. Recorded runs depend on these numbers: never change one, only add.
    fn code(self) -> u32 {
        match self {
            Purpose::Weights => 0,
            Purpose::Interior => 1,
            Purpose::Boundary => 2,
            Purpose::Initial => 3,
            Purpose::Evaluation => 4,
            Purpose::Region => 5,
            Purpose::Batch => 6,
            Purpose::Adaptive => 7,
            Purpose::Noise => 8,
            Purpose::Direction => 9,
            Purpose::Scramble => 10,
            Purpose::Custom(number) => 64 | u32::from(number & 63),
        }
    }
}

/// Separates the words behind normals from those behind uniforms at equal positions.
#[derive(Clone, Copy)]
enum Kind {
    Word = 0,
    Normal = 1,
}

/// A position in an endless list of random numbers; cheap to copy and to create.
///
/// ```
/// use ropinn_domain::{Purpose, Stream};
/// let key = Stream::new(7, Purpose::Region).at_step(120).at_evaluation(3);
/// let mut shifts = vec![0.0; 1000];
/// key.clone().fill_uniform(&mut shifts);
/// assert_eq!(shifts[417], key.uniform_at(417)); // random access gives the same number
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    key: [u32; 2],
    purpose: u32,
    step: u64,
    evaluation: u32,
    position: u64,
}

impl Stream {
    /// The stream of step 0, evaluation 0, at position 0.
    pub fn new(seed: u64, purpose: Purpose) -> Self {
        Self { key: [seed as u32, (seed >> 32) as u32], purpose: purpose.code(), step: 0, evaluation: 0, position: 0 }
    }

    /// The stream of another step (56 bits count), from its start.
    pub fn at_step(self, step: u64) -> Self {
        Self { step, position: 0, ..self }
    }

    /// The stream of another evaluation within the step, from its start.
    pub fn at_evaluation(self, evaluation: u32) -> Self {
        Self { evaluation, position: 0, ..self }
    }

    /// The same stream at the numbers of one point, when every point uses `draws_per_point` of them.
    pub fn at_point(self, point: u64, draws_per_point: u64) -> Self {
        Self { position: point * draws_per_point, ..self }
    }

    /// Index of the next number.
    pub fn position(&self) -> u64 {
        self.position
    }

    /// Moves to any index.
    pub fn seek(&mut self, position: u64) {
        self.position = position;
    }

    fn counter(&self, kind: Kind, block: u64) -> [u32; 4] {
        let step_high = (self.step >> 32) as u32;
        [block as u32, self.evaluation, self.step as u32, step_high << 8 | (kind as u32) << 7 | self.purpose]
    }

    fn words(&self, kind: Kind, block: u64) -> [u64; 2] {
        let [a, b, c, d] = philox4x32_10(self.counter(kind, block), self.key).map(u64::from);
        [a | b << 32, c | d << 32]
    }

    /// The 64 random bits at `position`.
    pub fn bits_at(&self, position: u64) -> u64 {
        let (lanes, group) = (LANES as u64, GROUP as u64);
        let block = position / group * lanes + position % lanes;
        self.words(Kind::Word, block)[(position % group / lanes) as usize]
    }

    /// The uniform number in [0, 1) at `position`, a multiple of 2⁻⁵³.
    pub fn uniform_at(&self, position: u64) -> f64 {
        unit(self.bits_at(position))
    }

    /// The standard normal number at `position`.
    pub fn normal_at(&self, position: u64) -> f64 {
        let [first, second] = self.words(Kind::Normal, position / 2);
        gaussian_pair(unit(first), unit(second))[(position % 2) as usize]
    }

    fn advance(&mut self) -> u64 {
        self.position += 1;
        self.position - 1
    }

    /// The next 64 random bits.
    pub fn bits(&mut self) -> u64 {
        let position = self.advance();
        self.bits_at(position)
    }

    /// The next uniform number in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        let position = self.advance();
        self.uniform_at(position)
    }

    /// The next standard normal number; like every draw but [`below`](Self::below) it uses exactly one position.
    pub fn normal(&mut self) -> f64 {
        let position = self.advance();
        self.normal_at(position)
    }

    /// A whole number in 0 … `bound` − 1, each exactly as likely as the next; 0 if `bound` is 0 or 1.
    /// Uses one position, or rarely (with probability below `bound` / 2⁶⁴) one more.
    /// Lemire, "Fast random integer generation in an interval" (2019), Algorithm 5.
    pub fn below(&mut self, bound: u64) -> u64 {
        if bound == 0 {
            self.advance();
            return 0;
        }
        let rejected_below = bound.wrapping_neg() % bound;
        loop {
            let product = u128::from(self.bits()) * u128::from(bound);
            if product as u64 >= rejected_below {
                return (product >> 64) as u64;
            }
        }
    }

    /// Puts `items` in random order, every order equally likely (Fisher–Yates).
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            items.swap(last, self.below(last as u64 + 1) as usize);
        }
    }

    /// Fills `out` with the next uniform numbers in [0, 1): the same ones repeated calls of
    /// [`uniform`](Self::uniform) give, in bulk.
    pub fn fill_uniform(&mut self, out: &mut [f64]) {
        let rest = self.align(out, GROUP, Self::uniform);
        fill_unit(rest, self.counter(Kind::Word, self.position / 2), self.key);
        self.position += rest.len() as u64;
    }

    /// Fills `out` with the next standard normal numbers, two per block.
    pub fn fill_normal(&mut self, out: &mut [f64]) {
        let rest = self.align(out, 2, Self::normal);
        for pair in rest.chunks_mut(2) {
            let [first, second] = self.words(Kind::Normal, self.position / 2);
            let values = gaussian_pair(unit(first), unit(second));
            pair.copy_from_slice(&values[..pair.len()]);
            self.position += pair.len() as u64;
        }
    }

    /// Draws numbers one by one up to the next multiple of `unit` positions; returns what is left of `out`.
    fn align<'a>(&mut self, out: &'a mut [f64], unit: usize, draw: fn(&mut Self) -> f64) -> &'a mut [f64] {
        let ahead = (self.position.next_multiple_of(unit as u64) - self.position) as usize;
        let (head, rest) = out.split_at_mut(ahead.min(out.len()));
        head.iter_mut().for_each(|value| *value = draw(self));
        rest
    }
}

/// Two independent standard normals from two uniforms in [0, 1): r (cos θ, sin θ) with r = √(−2 ln(1 − u)), θ = 2πv.
/// Box & Muller (1958). Unlike rejection methods it always uses the same number of words.
pub(crate) fn gaussian_pair(u: f64, v: f64) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - u).ln()).sqrt();
    let (sin, cos) = (std::f64::consts::TAU * v).sin_cos();
    [radius * cos, radius * sin]
}
