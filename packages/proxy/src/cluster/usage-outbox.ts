import type { ApplicationUsage } from "flags-sdk";
import type { PrimaryLink } from "./primary-link.ts";

type Sender = Pick<PrimaryLink, "send">;

/** Reports that may be on their way out of this process at once: more means that nobody reads. */
const MAX_UNSENT = 1000;

/** Where a worker puts usage: the primary process holds it, and sends it upstream. */
export class UsageOutbox {
  readonly #link: Sender;
  #hasRoom = true;
  #unsent = 0;

  constructor(link: Sender) {
    this.#link = link;
  }

  /** Whether the primary process has room; until it said that it has none, it has. */
  set hasRoom(hasRoom: boolean) {
    this.#hasRoom = hasRoom;
  }

  /**
   * Hands usage over. False means that nothing of it was, for lack of room.
   *
   * NOTE: unless a thousand reports crowd the channel, the system has it when this returns, before
   * the report is answered: it survives the end of this process, however sudden.
   */
  report(usage: ApplicationUsage): boolean {
    if (!this.#hasRoom || this.#unsent >= MAX_UNSENT) return false;
    this.#unsent += 1;
    // JSON costs half of what a structured clone of many small objects does.
    void this.#link.send({ kind: "usage", text: JSON.stringify(usage) }).then(() => {
      this.#unsent -= 1;
    });
    return true;
  }
}
