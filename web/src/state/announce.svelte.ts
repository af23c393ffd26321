/** Text for the live region that screen readers read aloud. */

class Announcer {
  text = $state("");
  #toggle = false;

  say(text: string): void {
    // Screen readers repeat a sentence only if the text has changed.
    this.#toggle = !this.#toggle;
    this.text = this.#toggle ? text : `${text}\u00a0`;
  }
}

export const announcer = new Announcer();
