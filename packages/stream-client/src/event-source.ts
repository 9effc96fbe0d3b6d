/** What a stream brings. */
export interface ToggleEvent {
  readonly data: string;
  readonly lastEventId: string;
}

/** The part of a browser's `EventSource` that is used. */
export interface EventSourceLike {
  readonly readyState: number;
  addEventListener(type: "toggles", listener: (event: ToggleEvent) => void): void;
  addEventListener(type: "error", listener: () => void): void;
  close(): void;
}

/** A browser's `EventSource`, or what stands in for it elsewhere. */
export type EventSourceConstructor = new (url: string) => EventSourceLike;

/** `readyState` of a stream that is open. */
export const OPEN = 1;
/** `readyState` of a stream that has given up. */
export const CLOSED = 2;
