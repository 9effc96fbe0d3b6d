import type { EventType } from "./event-type.ts";

/** Something that happened, about to be recorded. Who and when are known from the transaction. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string;
  readonly feature?: string;
  readonly environment?: string;
  /** The state before; left out when there was none. */
  readonly before?: unknown;
  /** The state after; left out when there is none. */
  readonly after?: unknown;
}
