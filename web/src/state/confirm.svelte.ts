/** Confirmation dialogs, shown before an action that cannot be undone. */

export interface Choice {
  value: string;
  label: string;
  isMain?: boolean;
}

export interface Question {
  title: string;
  text: string;
  choices: Choice[];
}

class Confirm {
  question = $state.raw<Question | null>(null);
  #answer: (value: string | null) => void = () => {};

  /** Asks a question. Resolves to the value of the choice, or to `null` if the dialog is closed. */
  ask(question: Question): Promise<string | null> {
    this.answer(null);
    this.question = question;
    return new Promise((answer) => (this.#answer = answer));
  }

  /** Asks a yes-or-cancel question. Resolves to `true` if the user confirms. */
  async isSure(title: string, text: string, yes: string): Promise<boolean> {
    return (await this.ask({ title, text, choices: [{ value: "yes", label: yes, isMain: true }] })) === "yes";
  }

  answer(value: string | null): void {
    const answer = this.#answer;
    this.#answer = () => {};
    this.question = null;
    answer(value);
  }
}

export const confirm = new Confirm();
