//! Direction numbers of Joe & Kuo, "Constructing Sobol sequences with better two-dimensional projections",
//! SIAM J. Sci. Comput. 30 (2008), set `new-joe-kuo-6`, dimensions 2 to 64. Copyright (c) 2008 Frances Y. Kuo and
//! Stephen Joe; their BSD licence is in `LICENSE-joe-kuo.txt` next to this crate's manifest.

/// One Sobol dimension: a primitive polynomial over GF(2) and the first direction integers.
pub(super) struct Direction {
    /// Inner coefficients a₁…a_{s−1} of x^s + a₁x^{s−1} + … + a_{s−1}x + 1, most significant first.
    pub inner: u32,
    /// Odd m₁…m_s with m_k < 2^k; their number s is the degree of the polynomial.
    pub first: &'static [u32],
}

const fn direction(inner: u32, first: &'static [u32]) -> Direction {
    Direction { inner, first }
}

/// Row k holds dimension k + 2; dimension 1 is the van der Corput sequence and needs no polynomial.
#[rustfmt::skip]
pub(super) const DIRECTIONS: [Direction; 63] = [
    direction(0, &[1]),
    direction(1, &[1, 3]),
    direction(1, &[1, 3, 1]),
    direction(2, &[1, 1, 1]),
    direction(1, &[1, 1, 3, 3]),
    direction(4, &[1, 3, 5, 13]),
    direction(2, &[1, 1, 5, 5, 17]),
    direction(4, &[1, 1, 5, 5, 5]),
    direction(7, &[1, 1, 7, 11, 19]),
    direction(11, &[1, 1, 5, 1, 1]),
    direction(13, &[1, 1, 1, 3, 11]),
    direction(14, &[1, 3, 5, 5, 31]),
    direction(1, &[1, 3, 3, 9, 7, 49]),
    direction(13, &[1, 1, 1, 15, 21, 21]),
    direction(16, &[1, 3, 1, 13, 27, 49]),
    direction(19, &[1, 1, 1, 15, 7, 5]),
    direction(22, &[1, 3, 1, 15, 13, 25]),
    direction(25, &[1, 1, 5, 5, 19, 61]),
    direction(1, &[1, 3, 7, 11, 23, 15, 103]),
    direction(4, &[1, 3, 7, 13, 13, 15, 69]),
    direction(7, &[1, 1, 3, 13, 7, 35, 63]),
    direction(8, &[1, 3, 5, 9, 1, 25, 53]),
    direction(14, &[1, 3, 1, 13, 9, 35, 107]),
    direction(19, &[1, 3, 1, 5, 27, 61, 31]),
    direction(21, &[1, 1, 5, 11, 19, 41, 61]),
    direction(28, &[1, 3, 5, 3, 3, 13, 69]),
    direction(31, &[1, 1, 7, 13, 1, 19, 1]),
    direction(32, &[1, 3, 7, 5, 13, 19, 59]),
    direction(37, &[1, 1, 3, 9, 25, 29, 41]),
    direction(41, &[1, 3, 5, 13, 23, 1, 55]),
    direction(42, &[1, 3, 7, 3, 13, 59, 17]),
    direction(50, &[1, 3, 1, 3, 5, 53, 69]),
    direction(55, &[1, 1, 5, 5, 23, 33, 13]),
    direction(56, &[1, 1, 7, 7, 1, 61, 123]),
    direction(59, &[1, 1, 7, 9, 13, 61, 49]),
    direction(62, &[1, 3, 3, 5, 3, 55, 33]),
    direction(14, &[1, 3, 1, 15, 31, 13, 49, 245]),
    direction(21, &[1, 3, 5, 15, 31, 59, 63, 97]),
    direction(22, &[1, 3, 1, 11, 11, 11, 77, 249]),
    direction(38, &[1, 3, 1, 11, 27, 43, 71, 9]),
    direction(47, &[1, 1, 7, 15, 21, 11, 81, 45]),
    direction(49, &[1, 3, 7, 3, 25, 31, 65, 79]),
    direction(50, &[1, 3, 1, 1, 19, 11, 3, 205]),
    direction(52, &[1, 1, 5, 9, 19, 21, 29, 157]),
    direction(56, &[1, 3, 7, 11, 1, 33, 89, 185]),
    direction(67, &[1, 3, 3, 3, 15, 9, 79, 71]),
    direction(70, &[1, 3, 7, 11, 15, 39, 119, 27]),
    direction(84, &[1, 1, 3, 1, 11, 31, 97, 225]),
    direction(97, &[1, 1, 1, 3, 23, 43, 57, 177]),
    direction(103, &[1, 3, 7, 7, 17, 17, 37, 71]),
    direction(115, &[1, 3, 1, 5, 27, 63, 123, 213]),
    direction(122, &[1, 1, 3, 5, 11, 43, 53, 133]),
    direction(8, &[1, 3, 5, 5, 29, 17, 47, 173, 479]),
    direction(13, &[1, 3, 3, 11, 3, 1, 109, 9, 69]),
    direction(16, &[1, 1, 1, 5, 17, 39, 23, 5, 343]),
    direction(22, &[1, 3, 1, 5, 25, 15, 31, 103, 499]),
    direction(25, &[1, 1, 1, 11, 11, 17, 63, 105, 183]),
    direction(44, &[1, 1, 5, 11, 9, 29, 97, 231, 363]),
    direction(47, &[1, 1, 5, 15, 19, 45, 41, 7, 383]),
    direction(52, &[1, 3, 7, 7, 31, 19, 83, 137, 221]),
    direction(55, &[1, 1, 1, 3, 23, 15, 111, 223, 83]),
    direction(59, &[1, 1, 5, 13, 31, 15, 55, 25, 161]),
    direction(62, &[1, 1, 3, 13, 25, 47, 39, 87, 257]),
];
