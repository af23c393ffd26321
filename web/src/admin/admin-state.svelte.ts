/**
 * What a moderator sees and does on the page for admins.
 *
 * Responsible for the lists and for sending commands. Every command reads the status, the bans and the
 * audit log again, because it may have changed them. A problem or a success is shown in the section
 * whose command it was.
 */

import * as api from "../net/api";
import { t } from "../state/i18n.svelte";
import { refusedText } from "../state/refusal-text";

/** A part of the page with commands of its own. */
export type Section = "page" | "reports" | "accounts" | "bans" | "games" | "registration" | "message" | "audit";

/** A person, name or address to ban. */
export type BanKind = "account" | "player" | "name" | "address";

/** Number of rows that the server sends at a time. */
const ROWS = 100;

export class AdminState {
  status = $state.raw<api.StatusView | null>(null);
  reports = $state.raw<api.ReportView[]>([]);
  hasMoreReports = $state(false);
  /** Whether closed reports are listed, too. */
  showsClosed = $state(false);
  bans = $state.raw<api.BanView[]>([]);
  audit = $state.raw<api.AuditView[]>([]);
  hasMoreAudit = $state(false);
  /** Accounts that were found; `null` before the first search. */
  accounts = $state.raw<api.AccountView[] | null>(null);
  hasMoreAccounts = $state(false);
  /** Part of the names that were searched for. */
  part = $state("");
  /** The target in the form for bans, which other sections fill in. */
  banKind = $state<BanKind>("account");
  banTarget = $state("");
  isBusy = $state(false);
  #result = $state.raw<{ section: Section; text: string; isProblem: boolean } | null>(null);

  /** Returns the result of the last command of a section, or `null` if there is none to show. */
  resultOf(section: Section): { text: string; isProblem: boolean } | null {
    return this.#result?.section === section ? this.#result : null;
  }

  showResult(section: Section, text: string, isProblem = false): void {
    this.#result = { section, text, isProblem };
  }

  /** Reads everything again. */
  refresh(): Promise<boolean> {
    return this.#attempt("page", async () => {
      await this.#readReports();
      await this.#read();
    });
  }

  /**
   * Sends a command, reads the lists again, and shows the text in the section. Returns the reply, or
   * `null` if the server refused.
   */
  async act<K extends api.AdminReply["reply"]>(
    section: Section,
    kind: K,
    command: api.AdminRequest,
    text: (reply: api.AdminReplyOf<K>) => string = () => t("admin.done"),
  ): Promise<api.AdminReplyOf<K> | null> {
    let reply: api.AdminReplyOf<K> | null = null;
    const isDone = await this.#attempt(section, async () => {
      reply = await api.admin(kind, command);
      await this.#read();
      if (section === "reports") await this.#readReports();
      if (this.accounts) await this.#find("");
    });
    if (!isDone || !reply) return null;
    this.showResult(section, text(reply));
    return reply;
  }

  /** Lists the accounts whose names contain a text. */
  find(part: string): Promise<boolean> {
    this.part = part;
    return this.#attempt("accounts", () => this.#find(""));
  }

  moreAccounts(): Promise<boolean> {
    return this.#attempt("accounts", () => this.#find(this.accounts?.at(-1)?.name ?? ""));
  }

  showReports(showsClosed: boolean): Promise<boolean> {
    this.showsClosed = showsClosed;
    return this.#attempt("reports", () => this.#readReports());
  }

  moreReports(): Promise<boolean> {
    return this.#attempt("reports", () => this.#readReports(this.reports.at(-1)?.number));
  }

  moreAudit(): Promise<boolean> {
    return this.#attempt("audit", () => this.#readAudit(this.audit.at(-1)?.number));
  }

  /** Fills in the form for bans and moves the focus there. */
  prepareBan(kind: BanKind, target: string): void {
    [this.banKind, this.banTarget] = [kind, target];
    const field = document.querySelector<HTMLInputElement>("#ban-target");
    field?.focus();
    field?.scrollIntoView({ block: "center" });
  }

  async #attempt(section: Section, work: () => Promise<unknown>): Promise<boolean> {
    [this.isBusy, this.#result] = [true, null];
    try {
      await work();
      return true;
    } catch (error) {
      if (!(error instanceof api.ApiProblem)) throw error;
      this.showResult(section, problemText(error), true);
      return false;
    } finally {
      this.isBusy = false;
    }
  }

  /** The status comes last: the page shows its sections once there is one, and then they are complete. */
  async #read(): Promise<void> {
    this.bans = (await api.admin("bans", { command: "bans" })).bans;
    await this.#readAudit();
    this.status = await api.admin("status", { command: "status" });
  }

  async #readAudit(before: number | null = null): Promise<void> {
    const { entries } = await api.admin("audit", { command: "audit", before });
    this.audit = before === null ? entries : [...this.audit, ...entries];
    this.hasMoreAudit = entries.length === ROWS;
  }

  async #readReports(before: number | null = null): Promise<void> {
    const { reports } = await api.admin("reports", { command: "reports", is_all: this.showsClosed, before });
    this.reports = before === null ? reports : [...this.reports, ...reports];
    this.hasMoreReports = reports.length === ROWS;
  }

  async #find(after: string): Promise<void> {
    const { accounts } = await api.admin("accounts", { command: "accounts", part: this.part, after });
    this.accounts = after === "" ? accounts : [...(this.accounts ?? []), ...accounts];
    this.hasMoreAccounts = accounts.length === ROWS;
  }
}

/** Returns why a command was refused. */
function problemText({ code, message, refusal }: api.ApiProblem): string {
  if (refusal) return t(`adminRefusal.${refusal}`);
  return code === "forbidden" ? t("admin.forbidden") : refusedText(code, message);
}

/** Returns the id of a game from the id itself or from a link to the game; `""` if it is neither. */
export function gameOf(text: string): string {
  const found = /[?&]game=([^&#]*)/.exec(text)?.[1] ?? text.trim();
  return /^[0-9A-Za-z]{12}$/.test(found) ? found : "";
}
