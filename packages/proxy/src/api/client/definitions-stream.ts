import type { DeltaMessage } from "flags-engine";
import type { FeatureDefinitions, FlagSource } from "flags-sdk";
import { type EventStream, sharedEvent } from "flags-server-kit/http";
import type { DefinitionsFeed } from "./definitions-feed.ts";

interface DefinitionsStreamParts {
  readonly source: FlagSource;
  readonly feed: DefinitionsFeed;
  readonly events: EventStream;
}

/** An SDK that is told of changes as they happen. */
export class DefinitionsStream {
  readonly source: FlagSource;
  readonly events: EventStream;
  readonly #feed: DefinitionsFeed;
  /** The state that the SDK has once it has read all that was sent. */
  #id: number | undefined;

  constructor({ source, feed, events }: DefinitionsStreamParts) {
    this.source = source;
    this.events = events;
    this.#feed = feed;
    events.onDrain(() => this.#push());
  }

  /** Greets an SDK with what it lacks: everything, unless it says what it has. */
  greet(lastEventId: number | undefined): void {
    this.#send("unleash-connected", this.#feed.update(lastEventId));
  }

  /** Tells of the definitions that are in force now. */
  advance(definitions: FeatureDefinitions): void {
    this.#feed.advance(definitions);
    this.#push();
  }

  /**
   * Sends what is new. A reader that is behind gets nothing more until it has caught up, and then
   * what is different by then: so it costs no more memory than others.
   */
  #push(): void {
    if (this.events.blockedSince !== undefined || this.#id === this.#feed.id) return;
    this.#send("unleash-updated", this.#feed.update(this.#id));
  }

  #send(name: EventName, message: DeltaMessage): void {
    this.#id = message.id;
    this.events.write(sharedEvent(name, message));
  }
}

type EventName = "unleash-connected" | "unleash-updated";
