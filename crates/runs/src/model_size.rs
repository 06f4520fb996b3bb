//! `--width` and `--depth` for every model: the words users know, mapped to each model's own sizes.

use ropinn::model::ModelConfig;

/// Sets the width of every hidden layer and their number, where given.
///
/// For a PINNsFormer the width is that of its embedding and the depth its number of layers.
pub fn resize(model: &mut ModelConfig, width: Option<usize>, depth: Option<usize>) {
    let set = |own: &mut usize, wanted: Option<usize>| *own = wanted.unwrap_or(*own);
    match model {
        ModelConfig::Pinn(sizes) | ModelConfig::Fls(sizes) => {
            set(&mut sizes.width, width);
            set(&mut sizes.depth, depth);
        }
        ModelConfig::Qres(sizes) => {
            set(&mut sizes.width, width);
            set(&mut sizes.depth, depth);
        }
        ModelConfig::Pinnsformer(sizes) | ModelConfig::PinnsformerEncoder(sizes) => {
            set(&mut sizes.d_model, width);
            set(&mut sizes.layers, depth);
        }
        ModelConfig::Kan(sizes) => {
            if let Some(depth) = depth {
                sizes.hidden.resize(depth, sizes.hidden.first().copied().unwrap_or(5));
            }
            if let Some(width) = width {
                sizes.hidden.fill(width);
            }
        }
    }
}

/// Width and depth in the sense of [`resize`].
pub fn width_and_depth(model: &ModelConfig) -> (usize, usize) {
    match model {
        ModelConfig::Pinn(sizes) | ModelConfig::Fls(sizes) => (sizes.width, sizes.depth),
        ModelConfig::Qres(sizes) => (sizes.width, sizes.depth),
        ModelConfig::Pinnsformer(sizes) | ModelConfig::PinnsformerEncoder(sizes) => (sizes.d_model, sizes.layers),
        ModelConfig::Kan(sizes) => (sizes.hidden.iter().copied().max().unwrap_or(0), sizes.hidden.len()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ropinn::model::ModelKind;

    #[test]
    fn every_model_takes_both_sizes() {
        for kind in ModelKind::ALL {
            let mut model = ModelConfig::new(kind);
            let before = width_and_depth(&model);
            resize(&mut model, None, None);
            assert_eq!(width_and_depth(&model), before, "{kind}");
            resize(&mut model, Some(6), None);
            assert_eq!(width_and_depth(&model), (6, before.1), "{kind}");
            resize(&mut model, None, Some(4));
            assert_eq!(width_and_depth(&model), (6, 4), "{kind}");
        }
    }
}
