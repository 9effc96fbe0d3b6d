import { setTimeout as delay } from "node:timers/promises";
import { eq } from "drizzle-orm";
import type { Logger } from "flags-server-kit/neutral";
import { CoalescedTask } from "../scheduling/coalesced-task.ts";
import { runAtInterval } from "../scheduling/run-at-interval.ts";
import { type Database, databaseTime } from "../storage/database.ts";
import { isConnectionError } from "../storage/errors.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { addons } from "../storage/schema/notifications.ts";
import type { Storage } from "../storage/storage.ts";
import { type Addon, disableAddon } from "./addon-store.ts";
import { deliver, type DeliverOptions } from "./deliver.ts";
import { type Claimed, claimDue, type Failing, hasDue, recordOutcome, release } from "./queue.ts";
import type { Outcome } from "./send.ts";

const DAY_MS = 24 * 60 * 60_000;

/** An addon for which every attempt has failed for so long is disabled. */
const MAX_FAILING_MS = 5 * DAY_MS;

/** How long what is being sent may take when the service stops. */
const CLOSING_MS = 2000;

export interface NotifierOptions extends Omit<DeliverOptions, "signal"> {
  readonly storage: Storage;
  readonly logger: Pick<Logger, "warn">;
  /** The clock of retries. @default that of the database */
  readonly clock?: ((db: Database) => Promise<Date>) | undefined;
  /** How often to look for what other replicas have left, and for retries. @default 2000 */
  readonly intervalMs?: number | undefined;
  /** Receives the outcome of each attempt. */
  readonly observe?: (provider: string, outcome: Outcome) => void;
}

/** Sends notifications of events, together with the other replicas: each notification is claimed by one of them. */
export class Notifier {
  readonly #options: NotifierOptions;
  readonly #clock: (db: Database) => Promise<Date>;
  readonly #look = new CoalescedTask(() => this.#sendDue().catch(this.#onError));
  readonly #running = new Map<Claimed, Promise<void>>();
  /** How many notifications are being sent, by addon. */
  readonly #counts = new Map<number, number>();
  readonly #closing = new AbortController();
  #isStopping = false;

  constructor(options: NotifierOptions) {
    this.#options = options;
    this.#clock = options.clock ?? databaseTime;
  }

  /** Sends what is due until the signal is aborted. Resolves once nothing is being sent any longer. */
  async run(signal: AbortSignal): Promise<void> {
    const { storage, intervalMs = 2000 } = this.#options;
    const stopListening = storage.onQueued(() => this.#look.request());
    await runAtInterval(
      async () => this.#look.request(),
      { intervalMs, onError: this.#onError },
      signal,
    );
    stopListening();
    this.#isStopping = true;
    const ended = (): Promise<unknown> => Promise.allSettled(this.#running.values());
    await Promise.race([ended(), delay(CLOSING_MS, undefined, { ref: false })]);
    this.#closing.abort();
    await ended();
  }

  /** Sends what is due now, without waiting for the next look. */
  sendDue(): void {
    this.#look.request();
  }

  readonly #onError = (error: unknown): void => {
    // Requests already report an unavailable database, and the next look finds the same notifications.
    if (isConnectionError(error)) return;
    this.#options.logger.warn("Cannot send notifications yet", error);
  };

  /** NOTE: nothing is written while nothing is due, so that an idle service does not write at an interval. */
  async #sendDue(): Promise<void> {
    const { storage } = this.#options;
    if (this.#isStopping) return;
    const now = await this.#clock(storage.db);
    if (!(await hasDue(storage.db, now))) return;
    const claimed = await storage.transact((db) => claimDue(db, now, this.#counts));
    for (const each of claimed) this.#start(each);
  }

  #start(claimed: Claimed): void {
    const { addon } = claimed;
    this.#counts.set(addon, (this.#counts.get(addon) ?? 0) + 1);
    const running = this.#send(claimed)
      .catch(this.#onError)
      .finally(() => {
        this.#running.delete(claimed);
        const count = (this.#counts.get(addon) ?? 1) - 1;
        if (count === 0) this.#counts.delete(addon);
        else this.#counts.set(addon, count);
        this.#look.request();
      });
    this.#running.set(claimed, running);
  }

  async #send(claimed: Claimed): Promise<void> {
    const { storage, observe } = this.#options;
    const [addon] = await storage.db.select().from(addons).where(eq(addons.id, claimed.addon));
    if (addon === undefined) return;
    const now = await this.#clock(storage.db);
    let outcome: Outcome;
    try {
      const options = { ...this.#options, signal: this.#closing.signal };
      outcome = await deliver(storage.db, addon, { ...claimed, now }, options);
    } catch (error) {
      await storage.transact((db) => release(db, claimed));
      if (this.#closing.signal.aborted) return;
      throw error;
    }
    observe?.(addon.provider, outcome);
    const ended = await this.#clock(storage.db);
    const failing = await storage.transact((db) => recordOutcome(db, claimed, outcome, ended));
    if (failing !== undefined) await this.#onFailure(addon, outcome, { ...failing, now: ended });
  }

  async #onFailure(
    addon: Addon,
    { isGone, reason }: Outcome,
    { since, isFirst, now }: Failing & { readonly now: Date },
  ): Promise<void> {
    const { storage, logger } = this.#options;
    const name = `Notification ${addon.id} (${addon.provider})`;
    if (isFirst) {
      logger.warn(`${name} cannot be delivered, and is tried again for three days: ${reason}`);
    }
    const isHopeless = now.getTime() - since.getTime() >= MAX_FAILING_MS;
    if (!isGone && !isHopeless) return;
    const because = isGone ? `${reason}` : `Every attempt of five days has failed. ${reason}`;
    const isDisabled = await storage.write(SYSTEM_ACTOR, (transaction) =>
      disableAddon(transaction, addon, because),
    );
    if (isDisabled) logger.warn(`${name} is disabled: ${because}`);
  }
}
