//! `docs/first-problem.md` can be followed word by word.

use crate::TINY;
use crate::common::{here, succeed};
use crate::page::Page;

/// The words of a line of output before its first number. Runs of a few steps stop for other reasons than those of the page.
fn label(line: &str) -> Vec<&str> {
    let words = line.split_whitespace().take_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let reason = line.trim_start().starts_with("stopped");
    words.take(if reason { 1 } else { usize::MAX }).collect()
}

#[test]
fn the_first_problem_page_does_what_it_says() {
    let (page, folder) = (Page::read("docs/first-problem.md"), here());
    page.write_files(folder.path());
    let (mut run, mut told) = (0, String::new());
    for block in page.sections.iter().flat_map(|section| &section.blocks) {
        match block.language.as_str() {
            "sh" => {
                told.clear();
                let commands = block.text.lines().map(|line| line.split(" #").next().unwrap_or_default().trim());
                for words in commands.filter_map(|line| line.strip_prefix("ropinn ")) {
                    let tiny = if words.starts_with("solve ") { TINY } else { "" };
                    told += &succeed(folder.path(), &format!("{words} {tiny}"));
                    run += 1;
                }
            }
            // What the page shows of the output has the labels of the output.
            "text" => block.text.lines().for_each(|line| {
                let found = told.lines().any(|told| label(told) == label(line));
                assert!(found, "nothing is told of `{line}`:\n{told}");
            }),
            _ => {}
        }
    }
    assert!(run > 6, "only {run} commands were found");
    // What it says there is after that.
    let text = std::fs::read_to_string(&page.path).expect("the page");
    let files = text.split('`').skip(1).step_by(2).filter(|name| name.ends_with(".png") || name.ends_with(".html"));
    for file in files.filter(|name| !name.contains(' ')) {
        assert!(folder.path().join(file).exists(), "no command made {file}");
    }
}
