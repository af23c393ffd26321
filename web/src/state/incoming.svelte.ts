/** A game or a dropped file that waits to be opened. A file is not read here; it may be huge. */

class Incoming {
  /** PGN of a game that waits to be reviewed. */
  game = "";
  /** Id of that game in the archive; empty if it is not from there. */
  id = "";
  /** Place of that game in the list of the library; `null` if it is not from there. */
  place: number | null = null;
  /** Ply of its main line to be shown. */
  ply = 0;
  /** Games that wait to become chapters of the analysis board. */
  chapters: string[] = [];
  file = $state.raw<File | null>(null);

  take(): File | null {
    const file = this.file;
    if (file) this.file = null;
    return file;
  }
}

export const incoming = new Incoming();
