//! A small gallery of tiny runs: what it leaves, how it goes on, what it refuses. Nothing here depends on the clock.

use ropinn::record::Row;
use ropinn::train::Observer;
use ropinn_engine::Threads;
use ropinn_runs::folder::Saved;
use ropinn_runs::plan::Options;
use ropinn_runs::watch::{Remark, Watch};
use ropinn_study::StudyError;
use ropinn_study::gallery::{Entry, Findings, Gallery, Verdict};
use ropinn_study::watch::StudyWatch;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// Two problems, one of which nobody can miss and one that nobody can reach.
const ENTRIES: [Entry; 2] = [Entry::wanted("reaction", 1e9, 1e9), Entry::wanted("wave", 1e-30, 1e9)];

fn gallery(folder: &Path) -> Gallery {
    let set = ["points.interior=grid:5x5", "points.evaluation=grid:5x5"].map(str::to_owned).to_vec();
    let size = (Some(4), Some(1));
    Gallery {
        entries: ENTRIES.to_vec(),
        seeds: vec![0, 1],
        options: Options { iterations: Some(3), width: size.0, depth: size.1, set, ..Options::default() },
        out: folder.join("gallery"),
        page: Some(folder.join("docs")),
        command: "ropinn study gallery --page docs".to_owned(),
    }
}

/// Counts what it is told; sets `stop` after so many steps.
#[derive(Default)]
struct Counter<'a> {
    finished_before: Vec<PathBuf>,
    begun: Vec<(usize, usize)>,
    saved: Vec<String>,
    steps: usize,
    stop: Option<(&'a AtomicBool, usize)>,
}

struct Steps<'a, 'b>(&'a mut Counter<'b>);

impl Observer for Steps<'_, '_> {
    fn on_step(&mut self, _: &Row) {
        self.0.steps += 1;
        if let Some((stop, _)) = self.0.stop.filter(|(_, last)| self.0.steps == *last) {
            stop.store(true, Ordering::Relaxed);
        }
    }
}

impl Watch for Steps<'_, '_> {}

impl StudyWatch for Counter<'_> {
    fn on_round(&mut self, number: usize, of: usize, finished: Option<&Path>) {
        match finished {
            Some(path) => self.finished_before.push(path.to_owned()),
            None => self.begun.push((number, of)),
        }
    }

    fn run(&mut self) -> Box<dyn Watch + '_> {
        Box::new(Steps(self))
    }

    fn on_saved(&mut self, of: &str, saved: &Saved) {
        self.saved.push(format!("{of} {}", saved.result.seed));
    }

    fn on_remark(&mut self, remark: &Remark) {
        panic!("{remark}");
    }
}

fn run(gallery: &Gallery, watch: &mut Counter<'_>, stop: &AtomicBool) -> Result<Findings, StudyError> {
    gallery.run(&Threads::new(2)?, watch, stop)
}

/// Runs it to its end.
fn finish(gallery: &Gallery) -> (Findings, Vec<String>) {
    let mut watch = Counter::default();
    let findings = run(gallery, &mut watch, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    (findings, watch.saved)
}

fn read(path: &Path) -> Vec<u8> {
    fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text(path: &Path) -> String {
    String::from_utf8(read(path)).expect("UTF-8")
}

/// All runs' files of a name, in order.
fn of_all_runs(gallery: &Gallery, name: &str) -> Vec<Vec<u8>> {
    let runs = ENTRIES.iter().flat_map(|entry| [0, 1].map(|seed| format!("{}/seed-{seed}", entry.problem)));
    runs.map(|run| read(&gallery.out.join(run).join(name))).collect()
}

#[test]
fn a_gallery_leaves_runs_tables_and_a_page() {
    let folder = tempfile::tempdir().expect("a folder");
    let gallery = gallery(folder.path());
    let (findings, saved) = finish(&gallery);
    assert!(findings.is_complete());
    assert_eq!(saved, ["reaction 0", "reaction 1", "wave 0", "wave 1"]);
    let verdicts: Vec<_> = findings.problems.iter().map(|standing| (standing.reached, standing.verdict)).collect();
    assert_eq!(verdicts, [(Some(2), Verdict::Yes), (Some(0), Verdict::Miss)]);

    let csv = text(&gallery.out.join("gallery.csv"));
    assert_eq!(csv.lines().count(), 1 + 4, "{csv}");
    let json: serde_json::Value = serde_json::from_slice(&read(&gallery.out.join("gallery.json"))).expect("JSON");
    for (k, results) in of_all_runs(&gallery, "result.json").chunks(2).enumerate() {
        for (seed, result) in results.iter().enumerate() {
            let result: serde_json::Value = serde_json::from_slice(result).expect("JSON");
            let row = &json["problems"][k]["runs"][seed];
            assert_eq!((&row["rmse"], &row["seconds"]), (&result["rmse"], &result["seconds"]));
            assert_eq!(row["threads"], 2);
        }
    }

    let page = text(&folder.path().join("docs/gallery.md"));
    let order = [
        "# Gallery\n",
        "for seeds 0, 1.",
        "```sh\nropinn study gallery --page docs\n```",
        ", 2 threads, ropinn ",
        "| [reaction](#reaction) ",
        " yes ",
        "**miss** |\n",
        "\n## reaction\n",
        "**1-D reaction.** Logistic growth at every x",
        "```toml\n[constants]\n",
        "[equations]\n",
        "(images/gallery/reaction.png)",
        "Median rMSE ",
        "```sh\nropinn solve reaction\n```",
        "\n## wave\n",
    ];
    let mut rest = page.as_str();
    for needed in order {
        let at = rest.find(needed).unwrap_or_else(|| panic!("no `{needed}` in its place:\n{page}"));
        rest = &rest[at + needed.len()..];
    }
    assert!(!page.contains("Incomplete"), "{page}");
    for entry in ENTRIES {
        let [small, whole] = [
            folder.path().join(format!("docs/images/gallery/{}.png", entry.problem)),
            gallery.out.join(entry.problem).join("seed-0/fields.png"),
        ]
        .map(|path| read(&path));
        let width = |png: &[u8]| u32::from_be_bytes(png[16..20].try_into().expect("four bytes"));
        assert_eq!(2 * width(&small), width(&whole));
    }
}

#[test]
fn what_is_finished_is_not_run_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let gallery = gallery(folder.path());
    finish(&gallery);
    let (results, page) = (of_all_runs(&gallery, "result.json"), read(&folder.path().join("docs/gallery.md")));
    let mut watch = Counter::default();
    let findings = run(&gallery, &mut watch, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((watch.begun.len(), watch.steps, watch.finished_before.len()), (0, 0, 4));
    assert_eq!(watch.finished_before[3], gallery.out.join("wave/seed-1"));
    assert!(findings.is_complete());
    // A second training would take another time.
    assert_eq!(of_all_runs(&gallery, "result.json"), results);
    assert_eq!(read(&folder.path().join("docs/gallery.md")), page);

    // A run that is lost is done again, and stands in its place.
    fs::remove_file(gallery.out.join("reaction/seed-0/result.json")).expect("removable");
    let (findings, saved) = finish(&gallery);
    assert_eq!(saved, ["reaction 0"]);
    let seeds: Vec<u64> = findings.problems[0].runs.iter().map(|attempt| attempt.run.seed).collect();
    assert_eq!(seeds, [0, 1]);
    assert_eq!(of_all_runs(&gallery, "result.json")[1..], results[1..]);
}

#[test]
fn a_gallery_that_was_cut_off_goes_on_to_the_same_bits() {
    let folders = [(); 2].map(|()| tempfile::tempdir().expect("a folder"));
    let [whole, cut] = [&folders[0], &folders[1]].map(|folder| gallery(folder.path()));
    finish(&whole);

    // After the second step of the second run.
    let stop = AtomicBool::new(false);
    let mut watch = Counter { stop: Some((&stop, 5)), ..Counter::default() };
    let findings = run(&cut, &mut watch, &stop).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!((watch.begun, watch.steps), (vec![(1, 4), (2, 4)], 5));
    assert!(!findings.is_complete());
    let missing: Vec<_> = findings.problems.iter().map(|standing| standing.missing.clone()).collect();
    assert_eq!(missing, [vec![1], vec![0, 1]]);
    assert_eq!(findings.problems[0].verdict, Verdict::Open);
    let words = "Incomplete: 1 of 4 runs are finished.";
    let shown = findings.to_text(&cut.out).unwrap_or_else(|error| panic!("{error}"));
    assert!(shown.contains(words), "{shown}");
    let page = text(&folders[1].path().join("docs/gallery.md"));
    assert!(page.contains(&format!("**{words}**")) && page.contains(", of 1 of 2 seeds;"), "{page}");
    assert!(page.contains("\nNo run is finished yet.\n"), "{page}");

    let mut watch = Counter::default();
    let findings = run(&cut, &mut watch, &AtomicBool::new(false)).unwrap_or_else(|error| panic!("{error}"));
    assert!(findings.is_complete());
    // The third step of the run that was cut off, and those of the two that had not begun.
    assert_eq!((watch.begun, watch.steps), (vec![(2, 4), (3, 4), (4, 4)], 1 + 2 * 3));
    assert_eq!(of_all_runs(&cut, "model.safetensors"), of_all_runs(&whole, "model.safetensors"));
}

#[test]
fn nothing_that_cannot_be_compared_is_mixed_or_replaced() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut gallery = Gallery { entries: ENTRIES[..1].to_vec(), seeds: vec![0], ..gallery(folder.path()) };
    finish(&gallery);
    let refused = |gallery: &Gallery| {
        let mut watch = Counter::default();
        let refusal = run(gallery, &mut watch, &AtomicBool::new(false)).map(|_| ()).expect_err("refused");
        assert_eq!(watch.begun, []);
        refusal.to_string()
    };
    gallery.options.width = Some(5);
    let run = gallery.out.join("reaction/seed-0");
    let complaint = "was run with another `model.width`, so it does not belong into this gallery";
    assert_eq!(refused(&gallery), format!("`{}` {complaint}", run.display()));

    gallery.out = folder.path().join("mine");
    fs::create_dir(&gallery.out).expect("writable");
    fs::write(gallery.out.join("notes.txt"), "mine").expect("writable");
    let complaint = format!("`{}` exists and is not the folder of a gallery", gallery.out.display());
    assert_eq!(refused(&gallery), complaint);

    gallery.out = folder.path().join("other");
    gallery.page = Some(folder.path().join("mine/notes.txt"));
    assert!(refused(&gallery).starts_with("cannot write a page to `"), "{}", refused(&gallery));
    assert!(!gallery.out.exists());
}
