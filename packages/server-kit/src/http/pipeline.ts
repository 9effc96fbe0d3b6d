import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * How many pipelined requests of one connection are handled at a time, in addition to the first one. A few
 * bytes of request can cause a large response, which stays in memory until earlier ones are read.
 */
const MAX_IN_PROGRESS = 8;

/** How many more pipelined requests of one connection may be queued. */
const MAX_WAITING = 256;

/** The approximate memory of a request with large headers. */
const REQUEST_BYTES = 16 * 1024;

/** The requests of one connection that arrived before the response to the previous one was sent. */
export class Pipeline {
  #inProgress = 0;
  /** Functions that start to handle queued requests, in the order of arrival. */
  #waiting: (() => void)[] = [];
  /** Responses that are not closed yet. */
  readonly #open = new Set<ServerResponse>();
  #lastSentMs = 0;

  /** When the latest of these responses was sent, as `performance.now()`. */
  get lastSentMs(): number {
    return this.#lastSentMs;
  }

  /** The size of the requests and responses that wait until earlier responses are sent. */
  get unsentBytes(): number {
    let bytes = this.#waiting.length * REQUEST_BYTES;
    for (const response of this.#open)
      if (response.socket === null) bytes += response.writableLength;
    return bytes;
  }

  /** Starts to follow the response to a pipelined request, and that to the previous request. */
  add(...responses: readonly ServerResponse[]): void {
    for (const response of responses) {
      if (this.#open.has(response)) continue;
      this.#open.add(response);
      response.once("close", () => {
        this.#open.delete(response);
        this.#lastSentMs = performance.now();
      });
    }
  }

  /**
   * Handles a pipelined request now, or when earlier ones have ended.
   *
   * @returns false if too many requests are queued, or if the request has a body: the body would take memory while it
   *   waits, and clients do not pipeline such requests
   */
  schedule(response: ServerResponse, handle: () => void): boolean {
    const start = (): void => {
      this.#inProgress += 1;
      response.once("close", () => {
        this.#inProgress -= 1;
        this.#waiting.shift()?.();
      });
      handle();
    };
    if (this.#inProgress < MAX_IN_PROGRESS) start();
    else if (this.#waiting.length < MAX_WAITING && !hasBody(response.req))
      this.#waiting.push(start);
    else return false;
    return true;
  }

  /**
   * Drops the queued requests of a closed connection, and closes their responses. Node 20 and 22 close only
   * the response that is being sent, so the resources of the others would never be released.
   */
  close(): void {
    this.#waiting = [];
    for (const response of this.#open) {
      if (response.socket === null && !response.writableFinished) response.destroy();
    }
    // NOTE: Node 24 closes them itself, but not immediately. Closed responses are no longer in the set.
    setImmediate(() => {
      for (const response of this.#open) response.emit("close");
    });
  }
}

/** Whether a request has a body, which may not have arrived yet. */
export function hasBody({ headers }: Pick<IncomingMessage, "headers">): boolean {
  return headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;
}
