//! Opens the browser, if there is one.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;

/// Name of the file that sends the browser to the server, in the data folder. The browser is
/// started with this file, because other users can see the arguments of a program, and the server's
/// address contains a key.
pub(super) const PAGE: &str = "open.html";

/// Writes a file that sends the browser to an address. Only this user can read it.
pub(super) fn write_page(path: &Path, address: &str) -> io::Result<()> {
    remove_page(path);
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let page = format!(
        "<!doctype html><meta charset=\"utf-8\"><title>Castellan</title>\n\
         <meta http-equiv=\"refresh\" content=\"0; url={address}\">\n"
    );
    options.open(path)?.write_all(page.as_bytes())
}

/// Removes the file, if it is there.
pub(super) fn remove_page(path: &Path) {
    // A file that stays behind holds a key that no longer works.
    let _ = fs::remove_file(path);
}

/// Opens the address in the user's browser. If that fails, the address is still on the screen.
pub(super) fn open(address: &str) {
    let (program, arguments): (&str, &[&str]) = if cfg!(target_os = "macos") {
        ("open", &[])
    } else if cfg!(windows) {
        ("cmd", &["/C", "start", ""])
    } else {
        ("xdg-open", &[])
    };
    let mut command = Command::new(program);
    command.args(arguments).arg(address);
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    match silent.spawn() {
        // A thread must wait for the child, or it remains in the process table.
        Ok(mut child) => {
            thread::spawn(move || child.wait());
        }
        Err(error) => tracing::warn!("cannot open the browser with {program}: {error}"),
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn only_this_user_can_read_the_file_with_the_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(PAGE);
        // The file of an earlier run may be readable by all.
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_page(&path, "http://127.0.0.1:8960/#key=00ff").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let page = fs::read_to_string(&path).unwrap();
        assert!(page.contains("url=http://127.0.0.1:8960/#key=00ff\""), "{page}");
        remove_page(&path);
        assert!(!path.exists());
    }
}
