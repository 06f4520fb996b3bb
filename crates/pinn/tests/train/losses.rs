//! Two losses under two names: the trained one, and the unweighted one at fixed points.

use super::run;

fn close(found: f64, wanted: f64) -> bool {
    (found - wanted).abs() <= 1e-12 * wanted.abs()
}

#[test]
fn the_trained_loss_is_told_from_the_unweighted_loss_at_fixed_points() {
    let cases: [&[&str]; 4] = [
        &["objective=region", "region.r=0.05", "region.cap=1"],
        &["objective=point", "weighting=ntk", "ntk.samples=50"],
        &["objective=gradient", "gradient.weight=0.3"],
        &["objective=region", "weighting=ntk", "ntk.samples=50", "weights.initial=7"],
    ];
    for overrides in cases {
        let settings = [overrides, &["phases=lbfgs 4", "precision=f64", "log_every=3"]].concat();
        let outcome = run(&settings);
        let (rows, results) = (&outcome.record.rows, &outcome.record.results);
        for row in rows {
            assert!(close(row.parts.iter().sum(), row.loss), "{overrides:?}: {row:?}");
        }
        assert_eq!(results.trained_loss, rows.last().expect("a row").loss, "{overrides:?}");
        assert!(close(results.trained_terms.values().sum(), results.trained_loss), "{overrides:?}: {results:?}");
        assert!(close(results.parts.values().sum(), results.unweighted_loss), "{overrides:?}: {results:?}");
        assert!(!close(results.trained_loss, results.unweighted_loss), "{overrides:?}: the case shows nothing");
        // The problem's own terms, whatever the objective adds, so that runs can be compared.
        assert_eq!(results.parts.keys().collect::<Vec<_>>(), ["initial", "periodic", "residual"]);
        let more = overrides[0] == "objective=gradient";
        assert_eq!(results.trained_terms.contains_key("residual d/dx"), more, "{overrides:?}");
        let header = outcome.record.csv();
        assert!(header.starts_with("iteration,phase,trained_loss,term residual,"), "{header}");
    }
    let plain = run(&["objective=point", "phases=gauss-newton 3", "precision=f64"]).record.results;
    assert!(close(plain.trained_loss, plain.unweighted_loss), "nothing moves and nothing is weighed: {plain:?}");
}
