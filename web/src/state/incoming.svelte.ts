/** A file that was dropped on the page and waits to be opened. It is not read here: it may be huge. */

class Incoming {
  /** A game as PGN that waits to be reviewed. */
  game = "";
  file = $state.raw<File | null>(null);

  take(): File | null {
    const file = this.file;
    if (file) this.file = null;
    return file;
  }
}

export const incoming = new Incoming();
