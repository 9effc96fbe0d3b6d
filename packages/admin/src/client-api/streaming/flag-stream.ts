import { type EventStream, sharedEvent } from "flags-server-kit/http";
import type { ApiToken } from "../../access/token.ts";
import type { DeltaMessage } from "flags-engine";
import type { ScopeFeed } from "./scope-feed.ts";

interface FlagStreamParts {
  readonly token: ApiToken;
  readonly feed: ScopeFeed;
  readonly events: EventStream;
}

/** An SDK that is told of changes as they happen. */
export class FlagStream {
  /** As it was when it was looked at last. */
  token: ApiToken;
  readonly feed: ScopeFeed;
  readonly events: EventStream;
  /** What the SDK has, once it has read all that was sent. */
  #revision = 0;

  constructor({ token, feed, events }: FlagStreamParts) {
    this.token = token;
    this.feed = feed;
    this.events = events;
    events.onDrain(() => this.push());
  }

  /** Greets an SDK with what it lacks: everything, unless it says what it has. */
  greet(lastEventId: number | undefined): void {
    const { feed } = this;
    const message = lastEventId === undefined ? feed.hydrate() : feed.update(lastEventId);
    this.#send("unleash-connected", message);
  }

  /**
   * Sends what is new. A reader that is behind gets nothing more until it has caught up, and then
   * what is different by then: so it costs no more memory than others.
   */
  push(): void {
    if (this.events.blockedSince !== undefined || this.#revision === this.feed.revision) return;
    const message = this.feed.update(this.#revision);
    if (message.size === 0) this.#revision = message.id;
    else this.#send("unleash-updated", message);
  }

  #send(name: string, message: DeltaMessage): void {
    this.#revision = message.id;
    this.events.write(sharedEvent(name, message));
  }
}
