//! Weight files: what is written comes back, fits or is refused with the words it should be refused with.

use crate::{Fallible, model, network};
use ropinn::case::Case;
use ropinn::config::RunConfig;
use ropinn::model::{Init, Kan, Model, ModelConfig, ModelKind};
use ropinn::problem::{ProblemBuilder, Spread};
use ropinn::weights::{NamedTensor, NamedTensors, read_weights, save_weights, theta_from};
use ropinn_engine::{Precision, Threads};
use safetensors::tensor::{Dtype, TensorView, serialize};
use std::collections::BTreeMap;

/// A small model of each kind.
fn small_models() -> Vec<ModelConfig> {
    [
        "kind = 'pinn'\nwidth = 7\ndepth = 2",
        "kind = 'fls'\nwidth = 5\ndepth = 4",
        "kind = 'qres'\nwidth = 6\ndepth = 3",
        "kind = 'pinnsformer'\nd_model = 6\nff_width = 5\nout_width = 4\nlayers = 2",
        "kind = 'pinnsformer-encoder'\nd_model = 4\nff_width = 3\nout_width = 5",
        "kind = 'kan'\nhidden = [4, 3]\ngrid = 6",
    ]
    .map(model)
    .to_vec()
}

#[test]
fn weights_come_back_to_the_last_bit_in_double_and_rounded_in_single_precision() -> Fallible {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weights.safetensors");
    for model in small_models() {
        let network = network(&model);
        let theta = model.initialise(&network, 3, &Init::paper("wave"));
        let metadata = BTreeMap::from([("model".to_owned(), toml::to_string(&model)?), ("step".into(), "12".into())]);
        for precision in [Precision::F64, Precision::F32] {
            save_weights(&path, network.layout(), &theta, precision, &metadata)?;
            let tensors = read_weights(&path)?;
            let wanted: Vec<f64> = match precision {
                Precision::F64 => theta.clone(),
                Precision::F32 => theta.iter().map(|&v| f64::from(v as f32)).collect(),
            };
            assert_eq!(theta_from(&tensors, network.layout())?, wanted);
            assert_eq!(tensors.metadata, metadata);
            assert_eq!(ModelConfig::from_weights(model.kind(), &tensors)?, model);
        }
    }
    assert_eq!(std::fs::read_dir(folder.path())?.count(), 1, "no temporary file stays behind");
    Ok(())
}

#[test]
fn trained_scalars_are_tensors_of_the_file() -> Fallible {
    let problem =
        ProblemBuilder::new("rate").coordinate("x", 0.0, 1.0).unknown("u").trainable("k", 0.5).trainable("m", 7.0);
    let problem = problem.equation("decay", "u_x + k*u + m").interior(Spread::grid([5])).build()?;
    let mut config = RunConfig::default();
    config.set_all(&["width=3", "depth=1", "precision=f64"])?;
    let case = Case::with_problem(config, problem, &Threads::new(1)?)?;
    let mut theta = case.initial_theta();
    let n = theta.len();
    theta[n - 2..].copy_from_slice(&[2.0 / 3.0, -1e-300]);
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weights.safetensors");
    case.weights(&theta)?.save(&path, Precision::F64)?;
    let mut read = read_weights(&path)?;
    assert_eq!(read.get("trained.k"), Some(&NamedTensor { shape: vec![1], values: vec![2.0 / 3.0] }));
    assert_eq!(case.theta_from(&read)?, theta);

    // Before, they were texts; PyTorch has none at all.
    read.tensors.remove("trained.k");
    read.tensors.remove("trained.m");
    assert_eq!(case.theta_from(&read)?[n - 2..], [0.5, 7.0]);
    read.metadata.insert("trained.k".to_owned(), "0.1".to_owned());
    assert_eq!(case.theta_from(&read)?[n - 2..], [0.1, 7.0]);
    assert_eq!(case.theta_from(&read)?[..n - 2], theta[..n - 2]);
    Ok(())
}

#[test]
fn the_same_weights_give_the_same_bytes() -> Fallible {
    let folder = tempfile::tempdir()?;
    let model = model("kind = 'kan'");
    let network = network(&model);
    let theta = model.initialise(&network, 3, &Init::default());
    let metadata: BTreeMap<_, _> = (0..20).map(|i| (format!("key {i}"), format!("\"{i}\" ∂ü"))).collect();
    let bytes = |name: &str| -> Fallible<Vec<u8>> {
        let path = folder.path().join(name);
        save_weights(&path, network.layout(), &theta, Precision::F32, &metadata)?;
        Ok(std::fs::read(path)?)
    };
    let first = bytes("a")?;
    assert_eq!(first, bytes("b")?);
    let header = u64::from_le_bytes(first[..8].try_into()?);
    assert_eq!((header % 8, first.len() as u64 - header), (0, 8 + 4 * 156));
    Ok(())
}

#[cfg(unix)]
#[test]
fn others_may_read_the_file_as_far_as_the_umask_allows() -> Fallible {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir()?;
    let (plain, weights) = (folder.path().join("plain"), folder.path().join("weights"));
    std::fs::write(&plain, "")?;
    NamedTensors::default().save(&weights, Precision::F32)?;
    let mode = |path| -> Fallible<u32> { Ok(std::fs::metadata(path)?.permissions().mode()) };
    assert_eq!(mode(weights)?, mode(plain)?);
    Ok(())
}

#[test]
fn half_precision_files_are_widened() -> Fallible {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("half.safetensors");
    let f16: Vec<u8> = [0x3C00_u16, 0xC000, 0x3555, 0x0001].iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let bf16: Vec<u8> = [0x3F80_u16, 0xC049].iter().flat_map(|bits| bits.to_le_bytes()).collect();
    let views =
        [("a", TensorView::new(Dtype::F16, vec![2, 2], &f16)?), ("b", TensorView::new(Dtype::BF16, vec![2], &bf16)?)];
    std::fs::write(&path, serialize(views, None)?)?;
    let tensors = read_weights(&path)?;
    assert_eq!(tensors.get("a").map(|t| &t.values[..]), Some(&[1.0, -2.0, 0.333251953125, 2f64.powi(-24)][..]));
    assert_eq!(tensors.get("b").map(|t| &t.values[..]), Some(&[1.0, -3.140625][..]));
    Ok(())
}

#[test]
fn frozen_tensors_of_the_published_kan_are_passed_over_and_its_grid_is_read() -> Fallible {
    let sizes = Kan { hidden: vec![3], grid: 4, degree: 2, low: -2.0, high: 3.0 };
    let model = ModelConfig::Kan(sizes);
    let network = network(&model);
    let theta = model.initialise(&network, 1, &Init::default());
    let mut tensors = NamedTensors::from_theta(network.layout(), &theta)?;
    let grid: Vec<f64> = (0..6).flat_map(|_| [-2.0, -0.75, 0.5, 1.75, 3.0]).collect();
    let mut insert = |name: &str, shape: &[usize], values: Vec<f64>| {
        tensors.tensors.insert(name.to_owned(), NamedTensor { shape: shape.to_vec(), values })
    };
    insert("act_fun.0.grid", &[6, 5], grid);
    insert("act_fun.0.mask", &[6], vec![1.0; 6]);
    insert("symbolic_fun.0.mask", &[3, 2], vec![0.0; 6]);
    insert("symbolic_fun.1.affine", &[1, 3, 4], vec![0.0; 12]);
    assert_eq!(ModelConfig::from_weights(ModelKind::Kan, &tensors)?, model);
    assert_eq!(theta_from(&tensors, network.layout())?, theta);
    Ok(())
}

/// The tensors of a plain network of 4 hidden units.
fn plain() -> NamedTensors {
    let model = model("kind = 'pinn'\nwidth = 4\ndepth = 1");
    let network = network(&model);
    NamedTensors::from_theta(network.layout(), &vec![0.5; network.parameters()]).expect("θ of the right length")
}

#[test]
fn weights_that_do_not_fit_are_refused_by_name() {
    let refusal = |tensors: &NamedTensors, text: &str| {
        theta_from(tensors, network(&model(text)).layout()).expect_err(text).to_string()
    };
    assert_eq!(
        refusal(&plain(), "kind = 'pinn'\nwidth = 5\ndepth = 1"),
        "tensor `linear.0.weight` has shape [4, 2] in the weights, but [5, 2] in the network"
    );
    assert_eq!(
        refusal(&plain(), "kind = 'pinn'\nwidth = 4\ndepth = 2"),
        "the weights lack `linear.4.weight`, `linear.4.bias`; check the model and its sizes"
    );
    assert_eq!(
        refusal(&plain(), "kind = 'qres'\nwidth = 4\ndepth = 1"),
        "the weights lack `inlayer.H1.weight`, `inlayer.H1.bias`, `inlayer.H2.weight` and 3 more and hold \
         `linear.0.bias`, `linear.0.weight`, `linear.2.bias` and 1 more instead; check the model and its sizes"
    );
    let mut surplus = plain();
    surplus.tensors.insert("act_fun.0.grid".into(), NamedTensor { shape: vec![1], values: vec![0.0] });
    assert_eq!(
        refusal(&surplus, "kind = 'pinn'\nwidth = 4\ndepth = 1"),
        "the weights hold `act_fun.0.grid`, which the network does not have; check the model and its sizes"
    );
}

#[test]
fn sizes_cannot_be_read_off_another_models_tensors() {
    let refusal =
        |kind, tensors: &NamedTensors| ModelConfig::from_weights(kind, tensors).expect_err("no fit").to_string();
    assert_eq!(refusal(ModelKind::Kan, &plain()), "the weights lack `act_fun.0.coef`; check the model and its sizes");
    let mut flat = plain();
    flat.tensors.insert("linear.0.weight".into(), NamedTensor { shape: vec![8], values: vec![0.0; 8] });
    assert_eq!(
        refusal(ModelKind::Pinn, &flat),
        "tensor `linear.0.weight` has shape [8]; a model `pinn` has a matrix there"
    );
    let kan = network(&model("kind = 'kan'\ngrid = 1"));
    let mut kan = NamedTensors::from_theta(kan.layout(), &vec![0.0; kan.parameters()]).expect("θ of the right length");
    kan.tensors.insert("act_fun.0.coef".into(), NamedTensor { shape: vec![10, 3], values: vec![0.0; 30] });
    assert_eq!(
        refusal(ModelKind::Kan, &kan),
        "tensor `act_fun.0.coef` has shape [10, 3]; a model `kan` has a column per grid interval and spline degree there"
    );
}

#[test]
fn what_cannot_be_saved_is_refused_and_leaves_the_old_file() -> Fallible {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("weights.safetensors");
    plain().save(&path, Precision::F64)?;
    let save = |index: usize, value: f64, precision| {
        let mut tensors = plain();
        tensors.tensors.get_mut("linear.2.weight").expect("last layer").values[index] = value;
        tensors.save(&path, precision).expect_err("not finite").to_string()
    };
    assert_eq!(save(2, f64::NAN, Precision::F64), "entry 2 of tensor `linear.2.weight` is NaN; weights must be finite");
    assert_eq!(save(1, 1e300, Precision::F32), "entry 1 of tensor `linear.2.weight` is inf; weights must be finite");
    let layout = network(&model("kind = 'kan'")).layout().clone();
    assert_eq!(
        save_weights(&path, &layout, &[0.0; 3], Precision::F32, &BTreeMap::new()).expect_err("short").to_string(),
        "theta has 3 numbers, but the network has 156 parameters"
    );
    assert_eq!(read_weights(&path)?, NamedTensors { precision: Some(Precision::F64), ..plain() });
    let nowhere = folder.path().join("missing/weights.safetensors");
    let message = plain().save(&nowhere, Precision::F32).expect_err("no folder").to_string();
    assert!(message.starts_with(&format!("cannot write weights to `{}`: ", nowhere.display())), "{message}");
    Ok(())
}
