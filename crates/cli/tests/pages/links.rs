//! Links between pages lead somewhere, and the README leads to those for beginners.

use crate::page::Page;

/// Where a heading is linked to: lower case, blanks as hyphens, nothing but letters, digits and hyphens.
fn anchor(title: &str) -> String {
    let kept = title.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

#[test]
fn links_of_the_first_pages_lead_somewhere() {
    for name in ["README.md", "docs/first-problem.md", "docs/problem-file.md", "docs/inverse.md"] {
        let page = Page::read(name);
        let text = std::fs::read_to_string(&page.path).expect("the page");
        let links = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for link in links.filter(|link| !link.starts_with("http")) {
            let (file, part) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.path.clone() } else { page.path.with_file_name(file) };
            assert!(target.exists(), "{name}: no file `{file}`");
            let found = |target: &std::path::Path| {
                let to = Page::read(target.to_str().expect("UTF-8"));
                to.sections.iter().any(|section| anchor(&section.title) == part)
            };
            assert!(part.is_empty() || found(&target), "{name}: no heading for `{link}`");
        }
    }
}

#[test]
fn the_first_screen_of_the_readme_leads_to_the_first_pages_and_installs_the_command() {
    let page = Page::read("README.md");
    let text = std::fs::read_to_string(&page.path).expect("the page");
    let screen: Vec<&str> = text.lines().take(30).collect();
    for needed in ["cargo install --locked --path crates/cli", "docs/first-problem.md", "docs/problem-file.md"] {
        assert!(screen.iter().any(|line| line.contains(needed)), "no `{needed}` on the first screen");
    }
}
