//! The set of channels of one program, closed under what the composition rules need.

use super::alpha::Alpha;

/// Coefficient of one `∂^α` inside a collapsed operator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Coef {
    /// The same number everywhere.
    Const(f64),
    /// Varies from point to point: entry of the program's coefficient tape, times a number.
    Varying {
        /// Output number of the coefficient tape.
        slot: usize,
        /// Constant factor in front.
        scale: f64,
    },
}

impl Coef {
    /// This coefficient times a number.
    pub fn scaled(self, factor: f64) -> Self {
        match self {
            Self::Const(c) => Self::Const(c * factor),
            Self::Varying { slot, scale } => Self::Varying { slot, scale: scale * factor },
        }
    }
}

/// A linear differential operator without zeroth-order part, `Σ c_α ∂^α` with |α| ≥ 1, or the identity.
#[derive(Clone, PartialEq, Debug)]
pub struct Operator {
    /// The derivatives and their coefficients, sorted by derivative.
    pub parts: Vec<(Alpha, Coef)>,
}

impl Operator {
    /// The single derivative `∂^α` (the identity for `Alpha::VALUE`).
    pub fn plain(alpha: Alpha) -> Self {
        Self { parts: vec![(alpha, Coef::Const(1.0))] }
    }

    /// The plain derivative this operator is, if it is one.
    pub fn as_plain(&self) -> Option<Alpha> {
        match self.parts.as_slice() {
            [(alpha, Coef::Const(1.0))] => Some(*alpha),
            _ => None,
        }
    }

    /// Highest order of derivative in it.
    pub fn order(&self) -> usize {
        self.parts.iter().map(|(alpha, _)| alpha.order()).max().unwrap_or(0)
    }

    /// The lower derivatives the chain and product rules need beside this operator.
    fn needs(&self) -> impl Iterator<Item = Alpha> + '_ {
        self.parts.iter().flat_map(|(alpha, _)| alpha.proper_parts().collect::<Vec<_>>())
    }
}

/// Channels of a program, channel 0 being the value; closed under the rules of [`super::rules`].
#[derive(Clone, Debug)]
pub struct ChannelSet {
    operators: Vec<Operator>,
}

impl ChannelSet {
    /// Smallest closed set that can read out every operator in `wanted`.
    ///
    /// A wanted combination gets a channel of its own only if some of its derivatives is not carried anyway.
    pub fn covering(wanted: &[Operator]) -> Self {
        let mut plain = std::collections::BTreeSet::from([Alpha::VALUE]);
        for operator in wanted {
            plain.extend(operator.as_plain());
            plain.extend(operator.needs());
        }
        let mut operators: Vec<Operator> = plain.iter().map(|&alpha| Operator::plain(alpha)).collect();
        operators.sort_by_key(|o| (o.order(), o.as_plain()));
        for operator in wanted {
            let covered = operator.parts.iter().all(|(alpha, _)| plain.contains(alpha));
            if !covered && !operators.contains(operator) {
                operators.push(operator.clone());
            }
        }
        Self { operators }
    }

    /// Number of channels.
    pub fn len(&self) -> usize {
        self.operators.len()
    }

    /// The operators, channel by channel.
    pub fn operators(&self) -> &[Operator] {
        &self.operators
    }

    /// The channel holding the plain derivative `alpha`.
    pub fn plain(&self, alpha: Alpha) -> Option<usize> {
        self.operators.iter().position(|o| o.as_plain() == Some(alpha))
    }

    /// How to read `operator` from the channels: one channel, or a combination of plain ones.
    pub fn readout(&self, operator: &Operator) -> Option<Vec<(usize, Coef)>> {
        if let Some(channel) = self.operators.iter().position(|o| o == operator) {
            return Some(vec![(channel, Coef::Const(1.0))]);
        }
        operator.parts.iter().map(|&(alpha, coef)| Some((self.plain(alpha)?, coef))).collect()
    }

    /// Highest derivative order among the channels.
    pub fn order(&self) -> usize {
        self.operators.iter().map(Operator::order).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_costs_one_channel() {
        let along =
            Operator { parts: vec![(Alpha::new(&[0]), Coef::Const(50.0)), (Alpha::new(&[1]), Coef::Const(1.0))] };
        assert_eq!(ChannelSet::covering(&[along]).len(), 2);
    }

    #[test]
    fn the_wave_operator_costs_four_channels() {
        let wave =
            Operator { parts: vec![(Alpha::new(&[0, 0]), Coef::Const(-4.0)), (Alpha::new(&[1, 1]), Coef::Const(1.0))] };
        assert_eq!(ChannelSet::covering(&[wave]).len(), 4);
    }

    #[test]
    fn a_combination_of_carried_derivatives_is_free() {
        let third = Operator::plain(Alpha::new(&[0, 0, 1]));
        let pair =
            Operator { parts: vec![(Alpha::new(&[0, 0]), Coef::Const(1.0)), (Alpha::new(&[0, 1]), Coef::Const(2.0))] };
        let set = ChannelSet::covering(&[third, pair.clone()]);
        assert_eq!(set.len(), 6, "value, x, t, xx, xt, xxt");
        assert_eq!(set.readout(&pair).map(|r| r.len()), Some(2));
    }
}
