/** What is said aloud to whoever does not see the board. */

class Announcer {
  text = $state("");
  #toggle = false;

  say(text: string): void {
    // The same sentence twice is only read again if the text differs.
    this.#toggle = !this.#toggle;
    this.text = this.#toggle ? text : `${text}\u00a0`;
  }
}

export const announcer = new Announcer();
