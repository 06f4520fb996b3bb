//! From what a request names to a folder or file below the one that is served, and to no other. Links are not followed.

use std::fs;
use std::path::{Path, PathBuf};

/// The name of the run that the served folder itself is.
pub const ITSELF: &str = ".";

/// Text with `%41` for `A`; `None` if that is no text.
pub fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, others @ ..] = rest {
        rest = others;
        bytes.push(match first {
            b'%' => {
                let [high, low, others @ ..] = others else { return None };
                rest = others;
                let digit = |byte: &u8| char::from(*byte).to_digit(16);
                u8::try_from(16 * digit(high)? + digit(low)?).ok()?
            }
            byte => *byte,
        });
    }
    String::from_utf8(bytes).ok()
}

/// The folder of a run by its name: the way from the served folder, folder by folder.
pub fn folder_of(root: &Path, name: &str) -> Option<PathBuf> {
    // Browsers leave the dot out.
    if name == ITSELF || name.is_empty() {
        return Some(root.to_owned());
    }
    let mut place = root.to_owned();
    for part in name.split('/') {
        // Nothing that a system could take for another place: neither `..` nor a drive, a device or a second separator.
        let is_odd = part.contains(['\\', '\0']) || cfg!(windows) && part.contains(':');
        if part.is_empty() || part.chars().all(|c| c == '.') || is_odd {
            return None;
        }
        place.push(part);
        if !fs::symlink_metadata(&place).is_ok_and(|found| found.is_dir()) {
            return None;
        }
    }
    Some(place)
}

/// The name of a run's folder; `None` if it is not below the served one or has no name as text.
pub fn name_of(root: &Path, folder: &Path) -> Option<String> {
    let parts = folder.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect::<Option<Vec<_>>>()?;
    Some(if parts.is_empty() { ITSELF.to_owned() } else { parts.join("/") })
}

/// Whether a path names a file that is no link.
pub fn is_own_file(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|found| found.is_file())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_below_the_folder() {
        let here = tempfile::tempdir().expect("a folder");
        let root = here.path().join("runs");
        fs::create_dir_all(root.join("a/b")).expect("writable");
        fs::create_dir(here.path().join("secret")).expect("writable");
        assert_eq!(folder_of(&root, "a/b"), Some(root.join("a/b")));
        assert_eq!((folder_of(&root, "."), name_of(&root, &root)), (Some(root.clone()), Some(".".to_owned())));
        assert_eq!(name_of(&root, &root.join("a/b")).as_deref(), Some("a/b"));
        for name in ["..", "../secret", "a/../../secret", "a//b", "/etc", "./a", "a/.", "a/b/", "a\\b", "a\0", "none"] {
            assert_eq!(folder_of(&root, name), None, "{name:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(here.path().join("secret"), root.join("link")).expect("a link");
            assert_eq!(folder_of(&root, "link"), None);
            fs::write(here.path().join("secret/file"), "secret").expect("writable");
            std::os::unix::fs::symlink(here.path().join("secret/file"), root.join("a/file")).expect("a link");
            assert!(!is_own_file(&root.join("a/file")) && is_own_file(&here.path().join("secret/file")));
        }
    }

    #[test]
    fn text_is_decoded_once_and_only_text() {
        assert_eq!(decoded("a%2Fb%20c").as_deref(), Some("a/b c"));
        assert_eq!(decoded("%252e%252e").as_deref(), Some("%2e%2e"));
        assert_eq!((decoded("%2e%2e").as_deref(), decoded("%e2%82%ac").as_deref()), (Some(".."), Some("€")));
        for bad in ["%", "%2", "%zz", "%ff", "%+1"] {
            assert_eq!(decoded(bad), None, "{bad}");
        }
    }
}
