/** A text that was dropped on the page and waits to be opened. */

class Incoming {
  text = $state("");

  take(): string {
    const text = this.text;
    this.text = "";
    return text;
  }
}

export const incoming = new Incoming();
