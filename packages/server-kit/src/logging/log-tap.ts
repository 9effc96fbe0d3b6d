import type { LogLevel } from "./logger.ts";

interface LoggedRecord {
  readonly level: LogLevel;
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly timeMs: number;
}

interface SpanIds {
  readonly trace_id: string;
  readonly span_id: string;
}

interface LogListener {
  readonly onRecord: (record: LoggedRecord) => void;
  readonly activeSpan: () => SpanIds | undefined;
}

/** Enough for the warnings about a configuration. */
const MAX_WAITING = 100;

/** Connects a logger with telemetry, which starts later: until then, the first records wait. */
export class LogTap {
  #listener: LogListener | undefined;
  readonly #waiting: LoggedRecord[] = [];

  /** Passes on all records from now on, after those that are waiting. */
  connect(listener: LogListener): void {
    this.#listener = listener;
    for (const record of this.#waiting.splice(0)) listener.onRecord(record);
  }

  activeSpan(): SpanIds | undefined {
    return this.#listener?.activeSpan();
  }

  write(record: LoggedRecord): void {
    if (this.#listener !== undefined) this.#listener.onRecord(record);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push(record);
  }
}
