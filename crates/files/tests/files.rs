//! What is read, what is refused, and what is left behind.

use ropinn_files::{Reason, is_unfinished, read, read_text, write, write_with};
use std::fs;
use std::io::Error;

#[test]
fn sizes_up_to_the_limit_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    fs::write(&path, b"12345").unwrap();
    assert_eq!(read(&path, 5).unwrap(), b"12345");
    let refused = read(&path, 4).unwrap_err();
    assert_eq!(refused.reason, Reason::TooLarge { bytes: 5, limit: 4 });
    assert_eq!(
        refused.to_string(),
        format!("cannot read `{}`: it has 5 bytes, more than the 4 that are read", path.display())
    );
    assert_eq!(read(&path, u64::MAX).unwrap(), b"12345");
    fs::write(&path, [0xff]).unwrap();
    assert_eq!(read_text(&path, 5).unwrap_err().reason, Reason::NotText);
    let missing = read(&folder.path().join("missing"), 5).unwrap_err().reason;
    assert_eq!(missing, Reason::System(Error::from_raw_os_error(2).to_string()));
}

#[cfg(unix)]
#[test]
fn what_is_not_a_file_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    // A pipe without a writer would be waited for forever, an endless device read forever.
    let others = [folder.path(), &pipe, std::path::Path::new("/dev/zero")];
    assert!(others.iter().all(|path| read(path, 5).unwrap_err().reason == Reason::NotRegular));
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&pipe, &link).unwrap();
    assert_eq!(read(&link, 5).unwrap_err().reason, Reason::NotRegular);
}

#[test]
fn writing_replaces_whole_files_and_leaves_nothing_else() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data");
    let names = || {
        let entries = fs::read_dir(folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    write(&path, b"old").unwrap();
    let interrupted = write_with(&path, |out| {
        out.write_all(b"new")?;
        assert!(names().iter().any(|name| is_unfinished(name)), "{:?}", names());
        Err(Error::other("full"))
    });
    assert_eq!(interrupted.unwrap_err().to_string(), "full");
    assert_eq!((fs::read(&path).unwrap().as_slice(), names()), (&b"old"[..], vec!["data".to_owned()]));
    write(&path, b"new").unwrap();
    assert_eq!((fs::read(&path).unwrap().as_slice(), names()), (&b"new"[..], vec!["data".to_owned()]));
    assert!(write(&folder.path().join("missing/data"), b"new").is_err());
    assert!(!is_unfinished("data") && is_unfinished(".weights-x1"));
}

#[cfg(unix)]
#[test]
fn written_files_have_the_permissions_of_any_new_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (ours, plain) = (folder.path().join("ours"), folder.path().join("plain"));
    write(&ours, b"").unwrap();
    fs::write(&plain, b"").unwrap();
    let mode = |path| fs::metadata(path).unwrap().permissions().mode();
    assert_eq!(mode(&ours), mode(&plain));
}
