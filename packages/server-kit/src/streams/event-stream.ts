import type { ServerResponse } from "node:http";
import { GzipStream } from "./gzip-stream.ts";
import { type StreamEvent, writeEvent } from "./write-event.ts";

type Headers = Readonly<Record<string, number | string | string[] | undefined>>;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Prevents gateways from buffering events.
  "x-accel-buffering": "no",
} as const;

interface EventStreamOptions {
  /** Compresses the events. The client must accept that: see `acceptsGzip()`. @default false */
  readonly gzip?: boolean;
}

/** Bytes, so that all compressed streams share their compressed form. */
const KEEP_ALIVE = Buffer.from(":\n\n");

/** Length of the parts in which bytes are written. Each part that a slow client has read is progress. */
const PART_BYTES = 64 * 1024;

export class EventStream {
  readonly #response: ServerResponse;
  readonly #gzip: GzipStream | undefined;
  readonly #unsent: Uint8Array[] = [];
  #latest: Uint8Array | undefined;
  #blockedSinceMs: number | undefined;

  constructor(response: ServerResponse, headers: Headers, options: EventStreamOptions = {}) {
    this.#response = response;
    this.#gzip = options.gzip === true ? new GzipStream() : undefined;
    // If the client has disconnected, the next write fails, and `close` follows.
    response.on("error", () => undefined);
    response.on("drain", () => {
      this.#blockedSinceMs = undefined;
      this.#latest = undefined;
      this.#writeUnsent();
    });
    const coding = this.#gzip === undefined ? {} : { "content-encoding": "gzip" };
    for (const [name, value] of Object.entries({ ...headers, ...HEADERS, ...coding })) {
      if (value !== undefined) response.setHeader(name, value);
    }
    // NOTE: the end of a stream often is that of the server, so its client must not reuse the connection.
    response.shouldKeepAlive = false;
    response.writeHead(200);
    response.flushHeaders();
    if (this.#gzip !== undefined) response.write(this.#gzip.start());
  }

  /** The `performance.now()` of the last progress of a client that reads too slowly; undefined: it has read everything. */
  get blockedSinceMs(): number | undefined {
    return this.#blockedSinceMs;
  }

  /** The memory of what a client that reads too slowly has not read. Streams that send the same event share it. */
  get unread(): ReadonlySet<ArrayBufferLike> {
    if (this.#blockedSinceMs === undefined) return new Set();
    const parts = this.#latest === undefined ? this.#unsent : [this.#latest, ...this.#unsent];
    return new Set(parts.map(({ buffer }) => buffer));
  }

  /** Calls the listener whenever a client that was too slow has read everything. */
  onDrain(listener: () => void): void {
    this.#response.on("drain", () => {
      if (this.#blockedSinceMs === undefined) listener();
    });
  }

  onClose(listener: () => void): void {
    this.#response.on("close", listener);
  }

  send(event: StreamEvent): void {
    this.write(writeEvent(event));
  }

  write(text: string | Uint8Array): void {
    const bytes = typeof text === "string" ? Buffer.from(text) : text;
    this.#unsent.push(this.#gzip === undefined ? bytes : this.#gzip.compress(bytes));
    if (this.#blockedSinceMs === undefined) this.#writeUnsent();
  }

  #writeUnsent(): void {
    for (let next = this.#unsent.shift(); next !== undefined; next = this.#unsent.shift()) {
      // NOTE: a part shares the memory of the whole.
      const rest = next.subarray(PART_BYTES);
      if (rest.length > 0) this.#unsent.unshift(rest);
      if (!this.#response.write(next.subarray(0, PART_BYTES))) {
        this.#latest = next;
        this.#blockedSinceMs = performance.now();
        return;
      }
    }
  }

  /** Sets how long the client waits before it reconnects once the stream has ended. */
  retryAfter(delayMs: number): void {
    this.write(`retry: ${Math.round(delayMs)}\n\n`);
  }

  /** Sends a comment, so that neither side nor a gateway closes the connection as idle. */
  keepAlive(comment?: string): void {
    if (this.#blockedSinceMs !== undefined) return;
    this.write(comment === undefined ? KEEP_ALIVE : `:${comment}\n\n`);
  }

  /** Ends the stream. Disconnects a client that reads too slowly, since it may never read the rest. */
  end(): void {
    if (this.#blockedSinceMs === undefined) this.#response.end(this.#gzip?.end());
    else this.destroy();
  }

  destroy(): void {
    this.#response.destroy();
  }
}
