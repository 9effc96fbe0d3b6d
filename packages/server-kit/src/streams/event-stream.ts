import type { ServerResponse } from "node:http";

/** A server-sent event. */
interface StreamEvent {
  readonly name: string;
  readonly id: number | string;
  /** One line of text. */
  readonly data: string;
}

/** Response headers that the application sets. */
type Headers = Readonly<Record<string, number | string | string[] | undefined>>;

const HEADERS = {
  "content-type": "text/event-stream; charset=utf-8",
  "cache-control": "no-store, no-transform",
  // Prevents gateways from buffering events.
  "x-accel-buffering": "no",
} as const;

/** Serializes an event. */
export function writeEvent({ name, id, data }: StreamEvent): string {
  return `event: ${name}\nid: ${id}\ndata: ${data}\n\n`;
}

/** A response that stays open and sends server-sent events. */
export class EventStream {
  readonly #response: ServerResponse;
  #blockedSince: number | undefined;

  /** Sends the response headers. */
  constructor(response: ServerResponse, headers: Headers) {
    this.#response = response;
    // NOTE: if the client has disconnected, the next write fails. The `close` event follows and
    // handles that.
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

  /** The `performance.now()` since which the client reads too slowly; undefined if it keeps up. */
  get blockedSince(): number | undefined {
    return this.#blockedSince;
  }

  /** Calls the listener whenever a client that was too slow has read everything. */
  onDrain(listener: () => void): void {
    this.#response.on("drain", listener);
  }

  onClose(listener: () => void): void {
    this.#response.on("close", listener);
  }

  send(event: StreamEvent): void {
    this.write(writeEvent(event));
  }

  /** Sends a serialized event. Bytes can be shared by all streams that send the same event. */
  write(text: string | Uint8Array): void {
    if (!this.#response.write(text)) this.#blockedSince ??= performance.now();
  }

  /** Sets how long the client waits before it reconnects once the stream has ended. */
  retryAfter(delayMs: number): void {
    this.write(`retry: ${Math.round(delayMs)}\n\n`);
  }

  /** Sends a comment, so that neither side nor a gateway closes the connection as idle. */
  keepAlive(): void {
    if (this.#blockedSince === undefined) this.write(":\n\n");
  }

  /** Ends the stream. Disconnects a client that reads too slowly, since it may never read the rest. */
  end(): void {
    if (this.#blockedSince === undefined) this.#response.end();
    else this.destroy();
  }

  /** Closes the connection without waiting for the client. */
  destroy(): void {
    this.#response.destroy();
  }
}

function ignore(): void {
  // There is nothing to do.
}
