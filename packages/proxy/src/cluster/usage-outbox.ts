import type { ApplicationRegistration, ApplicationUsage } from "flags-sdk";
import type { MessageToWorker } from "./messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

type Sender = Pick<PrimaryLink, "send">;

/** Passes usage from a worker to the primary process, which decides whether to accept it. */
export class UsageOutbox {
  readonly #link: Sender;
  readonly #undecided = new Map<number, (isAccepted: boolean) => void>();
  #lastId = 0;

  constructor(link: Sender) {
    this.#link = link;
  }

  /** Passes usage on. Resolves to the decision of the primary process whether to accept it. */
  report(usage: ApplicationUsage): Promise<boolean> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#undecided.set(id, resolve);
      // JSON costs half of what a structured clone of many small objects does.
      void this.#link.send({ kind: "usage", id, text: JSON.stringify(usage) });
    });
  }

  /** Passes a registration on; there is no response. */
  register(registration: ApplicationRegistration): void {
    void this.#link.send({ kind: "registration", registration });
  }

  /** Handles the decision on a report. */
  decide({ id, isAccepted }: MessageToWorker<"decision">): void {
    this.#undecided.get(id)?.(isAccepted);
    this.#undecided.delete(id);
  }
}
