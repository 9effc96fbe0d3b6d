import type { ServerResponse } from "node:http";

/** A message of an event stream. */
export interface StreamEvent {
  readonly name: string;
  readonly id: number | string;
  /** In one line. */
  readonly data: string;
}

/** Header fields that the application sets on every answer. */
type Headers = Readonly<Record<string, number | string | string[] | undefined>>;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Gateways are asked to pass on each message as it comes.
  "x-accel-buffering": "no",
} as const;

/** Writes a message once, for all streams that send it. */
export function writeEvent({ name, id, data }: StreamEvent): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}

/** An open answer to which messages are added as they come. */
export class EventStream {
  readonly #response: ServerResponse;
  #blockedSince: number | undefined;

  constructor(response: ServerResponse, headers: Headers) {
    this.#response = response;
    // NOTE: a reader that goes away shows as an error of the next write; `close` follows, which is
    // what counts.
    response.on("error", ignore);
    response.on("drain", () => {
      this.#blockedSince = undefined;
    });
    for (const [name, value] of Object.entries({ ...headers, ...HEADERS })) {
      if (value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(200);
    response.flushHeaders();
  }

  /** When the reader began to take less than it is sent; undefined while it keeps up. */
  get blockedSince(): number | undefined {
    return this.#blockedSince;
  }

  onDrain(listener: () => void): void {
    this.#response.on("drain", listener);
  }

  onClose(listener: () => void): void {
    this.#response.on("close", listener);
  }

  send(event: StreamEvent): void {
    this.write(writeEvent(event));
  }

  /** Sends what `writeEvent()` wrote; as bytes, it is encoded once for all streams. */
  write(text: string | Uint8Array): void {
    if (!this.#response.write(text)) this.#blockedSince ??= performance.now();
  }

  /** How long a reader is to wait before it comes back, once the stream has ended. */
  retryAfter(delayMs: number): void {
    this.write(`retry: ${Math.round(delayMs)}\n\n`);
  }

  /** Shows both ends that the other one is there. */
  keepAlive(): void {
    if (this.#blockedSince === undefined) this.write(":\n\n");
  }

  /** Ends the stream. A reader that is behind is hung up on: it might never take the rest. */
  end(): void {
    if (this.#blockedSince === undefined) this.#response.end();
    else this.destroy();
  }

  /** Hangs up without waiting for the reader. */
  destroy(): void {
    this.#response.destroy();
  }
}

function ignore(): void {
  // Nothing is to be done.
}
