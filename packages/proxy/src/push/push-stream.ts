import type { FlagSource } from "flags-sdk";
import { isNamedBy, type EventStream } from "flags-service/http";
import type { PreparedEvent } from "./prepared-event.ts";
import type { StreamQuestion } from "./stream-question.ts";

interface PushStreamParts {
  readonly source: FlagSource;
  readonly question: StreamQuestion;
  readonly events: EventStream;
  /** What the client says it has received last. */
  readonly lastEventId: string | undefined;
}

/** A client that is told of its answer, and of every other answer that takes its place. */
export class PushStream {
  readonly source: FlagSource;
  readonly question: StreamQuestion;
  readonly events: EventStream;
  /** What the client has, once it has read all that was sent. */
  #known: string | undefined;

  constructor({ source, question, events, lastEventId }: PushStreamParts) {
    this.source = source;
    this.question = question;
    this.events = events;
    this.#known = lastEventId;
  }

  /**
   * Sends an answer unless the client has it; tells whether it was sent. A client that is behind is
   * sent nothing more until it has caught up: then it gets the answer of that moment.
   */
  offer(event: PreparedEvent): boolean {
    if (this.events.blockedSince !== undefined) return false;
    const isKnown = isNamedBy(this.#known, event.id);
    this.#known = event.id;
    if (!isKnown) this.events.write(event.bytes);
    return !isKnown;
  }

  /** Ends the stream; the client comes back after the delay. */
  end(retryDelayMs: number): void {
    this.events.retryAfter(retryDelayMs);
    this.events.end();
  }
}
