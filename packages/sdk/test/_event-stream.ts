import type { ServerResponse } from "node:http";
import type { FlagsClient, FlagsClientOptions } from "flags-sdk";
import { startLogged, startUpstream } from "./_client.ts";
import { documentOf, flag, serve } from "./_upstream.ts";
import type { Reply, SeenRequest, Upstream } from "./_upstream.ts";

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

/** Formats a stream event. */
export const toEvent = (name: string, id: string | number, ...events: readonly object[]): string =>
  `event: ${name}\nid: ${id}\ndata: ${JSON.stringify({ events })}\n\n`;

export const connected = (id: string | number, ...events: readonly object[]): string =>
  toEvent("unleash-connected", id, ...events);

export const update = (id: string | number, ...events: readonly object[]): string =>
  toEvent("unleash-updated", id, ...events);

/** Streams that stay open until the test ends them. */
export class OpenStreams {
  readonly #open = new Set<ServerResponse>();
  readonly #initialText: string;

  constructor(initialText: string) {
    this.#initialText = initialText;
  }

  get size(): number {
    return this.#open.size;
  }

  readonly reply: Reply = (response) => {
    this.#open.add(response);
    response.on("close", () => this.#open.delete(response));
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(this.#initialText);
  };

  /** Writes to all open streams. */
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

/** A stream that ends after a text. */
export const streamOf =
  (text: string): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  };

export interface StreamingSetup {
  readonly upstream: Upstream;
  readonly streams: OpenStreams;
  readonly client: FlagsClient;
  readonly messages: readonly string[];
}

/** Starts an upstream that streams the flag `a`, and a client. Polls would return the flag `polled`. */
export async function startStreaming(
  options: Partial<FlagsClientOptions> = {},
): Promise<StreamingSetup> {
  const upstream = await startUpstream();
  const streams = new OpenStreams(connected(1, hydration(flag("a"))));
  upstream.reply(STREAMING, streams.reply);
  upstream.features(serve(documentOf(flag("polled"))));
  const started = await startLogged(upstream, { synchronization: "streaming", ...options });
  return { upstream, streams, ...started };
}

/** Returns the `Last-Event-ID` of each request. */
export const lastEventIds = (requests: readonly SeenRequest[]): readonly unknown[] =>
  requests.map(({ headers }) => headers["last-event-id"]);
