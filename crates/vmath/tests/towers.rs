//! Towers against differences of the order below, across precisions, and through stored outputs; names and messages.

use proptest::prelude::*;
use ropinn_vmath::{Activation, Error, MAX_TOWER};

const TOP: usize = MAX_TOWER - 1;

fn tower_at(activation: Activation, z: f64) -> [f64; MAX_TOWER] {
    let mut s = [0.0; MAX_TOWER];
    activation.tower(TOP, &[z], &mut s);
    s
}

fn any_activation() -> impl Strategy<Value = Activation> {
    prop::sample::select(Activation::ALL.to_vec())
}

/// The value itself, so that the chain of differences hangs on something.
fn value(activation: Activation, z: f64) -> f64 {
    let sigmoid = 1.0 / (1.0 + libm::exp(-z));
    match activation {
        Activation::Tanh => libm::tanh(z),
        Activation::Sigmoid => sigmoid,
        Activation::Sin => libm::sin(z),
        Activation::Cos => libm::cos(z),
        Activation::Silu => z * sigmoid,
        Activation::Gelu => 0.5 * z * libm::erfc(-z / std::f64::consts::SQRT_2),
        Activation::Softplus => libm::log1p(libm::exp(z)),
        Activation::Exp => libm::exp(z),
        Activation::Gaussian => libm::exp(-0.5 * z * z),
        Activation::Identity => z,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn row_zero_is_the_activation(activation in any_activation(), z in -8.0..8.0) {
        let (got, want) = (tower_at(activation, z)[0], value(activation, z));
        prop_assert!((got - want).abs() <= 4e-15 * (1.0 + want.abs()), "{activation}({z}) = {got}, not {want}");
    }

    /// Central differences with two Richardson steps: error O(h⁶).
    #[test]
    fn each_row_is_the_derivative_of_the_row_above(activation in any_activation(), z in -6.0..6.0) {
        let difference = |h: f64| {
            let (right, left) = (tower_at(activation, z + h), tower_at(activation, z - h));
            std::array::from_fn::<f64, TOP, _>(|k| (right[k] - left[k]) / (2.0 * h))
        };
        let (coarse, middle, fine) = (difference(4e-2), difference(2e-2), difference(1e-2));
        let got = tower_at(activation, z);
        for k in 0..TOP {
            let (first, second) = ((4.0 * middle[k] - coarse[k]) / 3.0, (4.0 * fine[k] - middle[k]) / 3.0);
            let want = (16.0 * second - first) / 15.0;
            let scale = 1.0 + got.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
            prop_assert!((got[k + 1] - want).abs() < 2e-6 * scale, "{activation} order {}: {} but differences give {want} at {z}", k + 1, got[k + 1]);
        }
    }

    #[test]
    fn single_precision_follows_double(activation in any_activation(), z in -10.0_f32..10.0) {
        let mut single = [0.0_f32; MAX_TOWER];
        activation.tower(TOP, &[z], &mut single);
        let double = tower_at(activation, z.into());
        let scale = double.iter().fold(1.0, |m: f64, s| m.max(s.abs()));
        for k in 0..MAX_TOWER {
            let error = (f64::from(single[k]) - double[k]).abs();
            // Order 6 adds terms up to 200 times its result.
            prop_assert!(error < 2e-5 * scale, "{activation} order {k} at {z}: off by {error:e}");
        }
    }

    /// The same bits for every length, order and position.
    #[test]
    fn rows_do_not_depend_on_how_they_are_asked_for(
        activation in any_activation(),
        z in prop::collection::vec(-9.0..9.0, 0..70),
        k_max in 0..MAX_TOWER,
        offset in 0_usize..5,
    ) {
        let z = &z[offset.min(z.len())..];
        let n = z.len();
        let mut s = vec![f64::NAN; (k_max + 1) * n + 3];
        activation.tower(k_max, z, &mut s);
        prop_assert!(s[(k_max + 1) * n..].iter().all(|s| s.is_nan()), "wrote past the tower");
        for (i, &z) in z.iter().enumerate() {
            let alone = tower_at(activation, z);
            for k in 0..=k_max {
                prop_assert_eq!(s[k * n + i].to_bits(), alone[k].to_bits());
            }
        }
    }

    #[test]
    fn stored_outputs_give_the_same_tower(
        activation in any_activation(),
        z in prop::collection::vec(-9.0_f32..9.0, 0..40),
        k_max in 0..MAX_TOWER,
    ) {
        let n = z.len();
        let mut direct = vec![0.0; (k_max + 1) * n];
        activation.tower(k_max, &z, &mut direct);
        let mut from_output = vec![f32::NAN; (k_max + 1) * n];
        let available = activation.tower_from_output(k_max, &direct[..n], &mut from_output);
        use Activation::{Exp, Identity, Sigmoid, Tanh};
        prop_assert_eq!(available, matches!(activation, Tanh | Sigmoid | Exp | Identity));
        if available {
            prop_assert_eq!(direct, from_output);
        } else {
            prop_assert!(from_output.iter().all(|s| s.is_nan()), "left alone");
        }
    }
}

#[test]
fn names_round_trip() {
    for activation in Activation::ALL {
        assert_eq!(activation.to_string().parse(), Ok(activation));
        assert_eq!(activation.smoothness(), None);
    }
    assert_eq!(Activation::names().len(), 10);
}

#[test]
fn an_unknown_name_is_told_its_neighbour() {
    for (name, nearest) in [("tahn", "tanh"), ("GELU", "gelu"), ("soft_plus", "softplus"), ("sine", "sin")] {
        let error = name.parse::<Activation>().expect_err("not a name");
        assert_eq!(
            error.to_string(),
            format!(
                "unknown activation `{name}`; did you mean `{nearest}`? The choices are tanh, sigmoid, sin, cos, silu, gelu, softplus, exp, gaussian, identity"
            )
        );
    }
    assert_eq!(
        "swisj".parse::<Activation>(),
        Err(Error::UnknownActivation { name: "swisj".into(), nearest: Activation::Sin })
    );
}

#[test]
#[should_panic(expected = "k_max is 7, but towers stop at order 6")]
fn too_high_an_order_is_refused() {
    Activation::Tanh.tower(MAX_TOWER, &[0.0_f64], &mut [0.0; 8]);
}

#[test]
#[should_panic(expected = "the tower needs 6 elements, but the slice holds 5")]
fn too_short_a_buffer_is_refused() {
    Activation::Sin.tower(2, &[0.0_f64, 1.0], &mut [0.0; 5]);
}
