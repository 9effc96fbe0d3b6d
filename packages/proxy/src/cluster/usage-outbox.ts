import type { ApplicationUsage } from "flags-sdk";
import type { MessageToWorker } from "./messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

type Sender = Pick<PrimaryLink, "send">;

/** Where a worker puts usage: the primary process decides whether it is taken, and holds it. */
export class UsageOutbox {
  readonly #link: Sender;
  readonly #undecided = new Map<number, (isAccepted: boolean) => void>();
  #lastId = 0;

  constructor(link: Sender) {
    this.#link = link;
  }

  /** Hands usage over. Resolves to whether it was accepted, when that is decided. */
  report(usage: ApplicationUsage): Promise<boolean> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#undecided.set(id, resolve);
      // JSON costs half of what a structured clone of many small objects does.
      void this.#link.send({ kind: "usage", id, text: JSON.stringify(usage) });
    });
  }

  /** Takes the decision on a report. */
  decide({ id, isAccepted }: MessageToWorker<"decision">): void {
    this.#undecided.get(id)?.(isAccepted);
    this.#undecided.delete(id);
  }
}
