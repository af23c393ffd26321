/** A dropped file that waits to be opened. It is not read here, because it may be huge. */

class Incoming {
  /** PGN of a game that waits to be reviewed. */
  game = "";
  file = $state.raw<File | null>(null);

  take(): File | null {
    const file = this.file;
    if (file) this.file = null;
    return file;
  }
}

export const incoming = new Incoming();
