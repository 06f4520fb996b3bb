//! Weight files from anywhere: damaged, lying or hostile ones are refused; none makes the reader panic or take much memory.

use crate::{Fallible, model, network};
use proptest::prelude::*;
use ropinn::model::{Init, Model, ModelConfig, ModelKind};
use ropinn::weights::{MAX_FILE_BYTES, WeightsError, read_weights, save_weights, theta_from};
use ropinn_engine::Precision;
use std::collections::BTreeMap;
use std::path::Path;

/// Reads these bytes as a weights file.
fn read(bytes: &[u8]) -> Result<ropinn::weights::NamedTensors, WeightsError> {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), bytes).expect("a temporary file");
    read_weights(file.path())
}

/// The refusal of these bytes, with the file's name left out.
fn refusal(bytes: &[u8]) -> String {
    let message = read(bytes).expect_err("refused").to_string();
    let (before, after) = message.split_once('`').unwrap_or(("", &message));
    let (name, rest) = after.split_once('`').unwrap_or(("", after));
    if Path::new(name).is_absolute() { format!("{before}`FILE`{rest}") } else { message }
}

fn with_header(header: &str, numbers: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes(), header.as_bytes(), numbers].concat()
}

fn honest_file() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("weights");
    let model = model("kind = 'pinn'\nwidth = 3\ndepth = 1");
    let network = network(&model);
    let theta = model.initialise(&network, 0, &Init::paper("wave"));
    let metadata = BTreeMap::from([("made by".to_owned(), "ropinn".to_owned())]);
    save_weights(&path, network.layout(), &theta, Precision::F32, &metadata).expect("a temporary file");
    std::fs::read(path).expect("a temporary file")
}

#[test]
fn lies_are_named() {
    assert_eq!(refusal(b""), "`FILE` is not a valid safetensors file: header too small; save the weights again");
    assert_eq!(
        refusal(&[0xFF; 64]),
        "`FILE` claims a header of 18446744073709551615 bytes, more than the 8388608 a header may have; \
         is it a safetensors file?"
    );
    assert_eq!(
        refusal(&[1000_u64.to_le_bytes().as_slice(), b"{}"].concat()),
        "`FILE` is not a valid safetensors file: invalid header length; save the weights again"
    );
    let claim =
        |shape: &str, end: u64| format!(r#"{{"a":{{"dtype":"F32","shape":{shape},"data_offsets":[0,{end}]}}}}"#);
    for (header, reason) in [
        (claim("[1000000000]", 4_000_000_000), "incomplete metadata, file not fully covered"),
        (claim("[3]", 8), "invalid shape, data type, or offset for tensor"),
        (claim("[4294967296,4294967296,4]", 8), "overflow computing buffer size from shape and/or element type"),
        (claim("[2]", 8) + " x", "invalid JSON in header: trailing characters at line 1 column 56"),
    ] {
        assert_eq!(
            refusal(&with_header(&header, &[0; 8])),
            format!("`FILE` is not a valid safetensors file: {reason}; save the weights again")
        );
    }
}

#[test]
fn numbers_that_are_no_weights_are_named() {
    let file = |dtype: &str, numbers: &[u8]| {
        let end = numbers.len();
        let header = format!(r#"{{"mask":{{"dtype":"{dtype}","shape":[2],"data_offsets":[0,{end}]}}}}"#);
        with_header(&header, numbers)
    };
    assert_eq!(
        refusal(&file("I64", &[0; 16])),
        "tensor `mask` holds numbers of type I64; save it as F32, F64, F16 or BF16"
    );
    let nan: Vec<u8> = [1.0, f32::NAN].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(refusal(&file("F32", &nan)), "entry 1 of tensor `mask` is NaN; weights must be finite");
    let infinite: Vec<u8> = [f64::NEG_INFINITY, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
    assert_eq!(refusal(&file("F64", &infinite)), "entry 0 of tensor `mask` is -inf; weights must be finite");
}

#[test]
fn huge_files_are_refused_before_they_are_read() -> Fallible {
    let file = tempfile::NamedTempFile::new()?;
    file.as_file().set_len(MAX_FILE_BYTES + 1)?; // sparse: takes no space
    let message = read_weights(file.path()).expect_err("refused").to_string();
    assert!(message.ends_with("has 2147483649 bytes, more than the 2147483648 a weights file may have"), "{message}");
    let missing = read_weights(Path::new("/no/such/file")).expect_err("refused").to_string();
    assert!(missing.starts_with("cannot read weights from `/no/such/file`: "), "{missing}");
    let folder = read_weights(Path::new("/")).expect_err("refused").to_string();
    assert!(folder.starts_with("cannot read weights from `/`: "), "{folder}");
    Ok(())
}

#[test]
fn every_truncation_is_refused() {
    let honest = honest_file();
    assert!(read(&honest).is_ok());
    for length in 0..honest.len() {
        assert!(read(&honest[..length]).is_err(), "{length} of {} bytes", honest.len());
    }
    assert!(read(&[&honest[..], b"x"].concat()).is_err());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_never_panic(flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6)) {
        let mut bytes = honest_file();
        for (index, value) in flips {
            *index.get_mut(&mut bytes) = value;
        }
        // A flip among the numbers can leave an honest file; then everything after reading must hold as well.
        if let Ok(tensors) = read(&bytes) {
            prop_assert!(tensors.tensors.values().all(|t| t.values.iter().all(|v| v.is_finite())));
            for kind in ModelKind::ALL {
                if let Ok(model) = ModelConfig::from_weights(kind, &tensors) {
                    let layout = network(&model).layout().clone();
                    if let Ok(theta) = theta_from(&tensors, &layout) {
                        prop_assert!(theta.len() == layout.len() && theta.iter().all(|number| number.is_finite()));
                    }
                }
            }
        }
    }

    #[test]
    fn arbitrary_headers_are_refused_unless_there_is_nothing_to_read(
        header in "\\{[ ]{0,9}\\}|[{}\\[\\]\":,a-zA-Z0-9_ ]{0,80}", numbers in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        let empty = numbers.is_empty() && header.starts_with('{') && header[1..].trim_start_matches(' ') == "}";
        match read(&with_header(&header, &numbers)) {
            Ok(content) => prop_assert!(empty && content.tensors.is_empty(), "{}", header),
            Err(error) => prop_assert!(!empty && error.to_string().contains("safetensors"), "{}", header),
        }
    }
}
