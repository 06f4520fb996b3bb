//! What a problem file says, for people: the comment it opens with, and its equations as they stand there.

/// Sections without which its equations cannot be read.
const SECTIONS: [&str; 3] = ["[constants]", "[definitions]", "[equations]"];

/// The comment a file opens with, as one text.
pub fn opening(source: &str) -> String {
    let lines = source.lines().map_while(|line| line.strip_prefix('#'));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Constants, definitions and equations, in the words of the file; empty if it does not have them as sections.
pub fn equations(source: &str) -> String {
    let mut sections: Vec<Vec<&str>> = Vec::new();
    for line in source.lines() {
        if line.starts_with('[') {
            sections.push(Vec::new());
        }
        if let Some(section) = sections.last_mut() {
            section.push(line);
        }
    }
    let shown = sections.iter().filter(|section| SECTIONS.contains(&section[0].trim_end()));
    let text = |section: &Vec<&str>| {
        // What stands at the end of a section is said of the next one.
        let is_said = |line: &&str| !line.trim().is_empty() && !line.starts_with('#');
        let last = section.iter().rposition(is_said).unwrap_or(0);
        section[..=last].join("\n") + "\n"
    };
    shown.map(text).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::super::entries::GALLERY;
    use super::*;
    use ropinn::problem::Problem;

    #[test]
    fn comment_and_equations_are_those_of_the_file() {
        let file = "# Heat\n#  in a rod.\nname = \"rod\"\n# not this\n\n[constants]\nk = 2\n\n# About points.\n[points]\n\
                    interior = 5\n\n[equations]\n# why\nheat = \"u_t - k*u_xx\"\n\n[[conditions]]\nkind = \"initial\"\n";
        assert_eq!(opening(file), "Heat in a rod.");
        assert_eq!(equations(file), "[constants]\nk = 2\n\n[equations]\n# why\nheat = \"u_t - k*u_xx\"\n");
        assert_eq!((opening("name = 1"), equations("equations = { a = 'u' }")), (String::new(), String::new()));
    }

    #[test]
    fn every_problem_of_the_gallery_says_what_it_is() {
        for entry in GALLERY {
            let source = Problem::builtin_source(entry.problem).expect("built in");
            assert!(opening(source).ends_with('.'), "{}: {}", entry.problem, opening(source));
            assert!(equations(source).contains("[equations]\n"), "{}", entry.problem);
        }
    }
}
