//! The Mersenne twister MT19937 (Matsumoto & Nishimura 1998), begun from one integer.

const SIZE: usize = 624;
const SHIFT: usize = 397;

pub(super) struct Twister {
    state: [u32; SIZE],
    next: usize,
}

impl Twister {
    pub fn new(seed: u32) -> Self {
        let mut state = [seed; SIZE];
        for i in 1..SIZE {
            let before = state[i - 1];
            state[i] = (before ^ (before >> 30)).wrapping_mul(1_812_433_253).wrapping_add(i as u32);
        }
        Self { state, next: SIZE }
    }

    pub fn word(&mut self) -> u32 {
        if self.next == SIZE {
            self.turn();
        }
        let mut y = self.state[self.next];
        self.next += 1;
        y ^= y >> 11;
        y ^= (y << 7) & 0x9d2c_5680;
        y ^= (y << 15) & 0xefc6_0000;
        y ^ (y >> 18)
    }

    /// In [0, 1), with 53 random bits from two words.
    pub fn uniform(&mut self) -> f64 {
        let (high, low) = (self.word() >> 5, self.word() >> 6);
        (f64::from(high) * 67_108_864.0 + f64::from(low)) / 9_007_199_254_740_992.0
    }

    fn turn(&mut self) {
        for i in 0..SIZE {
            let y = (self.state[i] & 0x8000_0000) | (self.state[(i + 1) % SIZE] & 0x7fff_ffff);
            let odd = if y & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[i] = self.state[(i + SHIFT) % SIZE] ^ (y >> 1) ^ odd;
        }
        self.next = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_draws_the_numbers_of_its_authors() {
        let mut twister = Twister::new(20_220_722);
        assert_eq!([(); 4].map(|()| twister.word()), [3_605_760_790, 2_961_822_133, 3_554_692_187, 4_120_679_584]);
        let mut twister = Twister::new(20_220_722);
        for expected in [0.8395316056, 0.8276412708, 0.1444116825, 0.3398511530] {
            assert!((twister.uniform() - expected).abs() < 1e-10);
        }
        let mut usual = Twister::new(5489);
        assert_eq!((0..10_000).map(|_| usual.word()).last(), Some(4_123_659_995));
    }
}
