import type { ServerResponse } from "node:http";
import type { Reply, SeenRequest } from "./_upstream.ts";

export const STREAMING = "/api/client/streaming";
export const DELTA = "/api/client/delta";

export const hydration = (...features: readonly object[]): object => ({
  type: "hydration",
  features,
  segments: [],
});

export const updated = (feature: object): object => ({ type: "feature-updated", feature });

export const removed = (featureName: string): object => ({
  type: "feature-removed",
  featureName,
  project: "default",
});

/** An event of the stream, as text. */
export const eventOf = (name: string, id: string | number, ...events: readonly object[]): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify({ events })}\n\n`;

export const connected = (id: string | number, ...events: readonly object[]): string =>
  eventOf("unleash-connected", id, ...events);

export const update = (id: string | number, ...events: readonly object[]): string =>
  eventOf("unleash-updated", id, ...events);

/** A stream that stays open, and to which a test adds. */
export class OpenStreams {
  readonly #open = new Set<ServerResponse>();
  readonly #greeting: string;

  constructor(greeting: string) {
    this.#greeting = greeting;
  }

  get size(): number {
    return this.#open.size;
  }

  readonly reply: Reply = (response) => {
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(this.#greeting);
  };

  /** Sends a text to everybody who listens. */
  write(text: string): void {
    for (const response of this.#open) response.write(text);
  }

  end(): void {
    for (const response of this.#open) response.end();
  }

  reset(): void {
    for (const response of this.#open) response.socket?.resetAndDestroy();
  }
}

/** A stream that brings a text and ends. */
export const streamOf =
  (text: string): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  };

/** The ids with which clients came back. */
export const lastEventIds = (requests: readonly SeenRequest[]): readonly unknown[] =>
  requests.map(({ headers }) => headers["last-event-id"]);
