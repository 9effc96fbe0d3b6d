import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { CleanUp } from "./_command.ts";
import type { SourceDocument } from "./_source.ts";

export interface FeatureServer {
  /** The value for `FLAGS_URL`. */
  readonly url: string;
  /** The bodies of POST requests, by path. */
  readonly posts: Map<string, unknown[]>;
  /** Number of connections accepted so far. */
  connections: number;
  /** Number of requests for the document. */
  fetches: number;
  document: SourceDocument;
  /** When set, the status of every response. */
  failure: number | undefined;
}

/** Starts an upstream that serves a document and records POST requests, for the duration of a test. */
export async function startFeatureServer(
  document: SourceDocument,
  cleanUp: CleanUp = onTestFinished,
): Promise<FeatureServer> {
  const server = createServer((request, response) => {
    void respond(upstream, request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const upstream: FeatureServer = {
    url: `http://127.0.0.1:${port}/api`,
    posts: new Map(),
    connections: 0,
    fetches: 0,
    document,
    failure: undefined,
  };
  server.on("connection", () => (upstream.connections += 1));
  return upstream;
}

async function respond(upstream: FeatureServer, request: IncomingMessage) {
  const body = await text(request);
  const path = request.url?.split("?")[0] ?? "";
  if (upstream.failure !== undefined) return { status: upstream.failure, body: "{}" };
  if (request.method === "POST") {
    upstream.posts.set(path, [...(upstream.posts.get(path) ?? []), JSON.parse(body)]);
    return { status: 202, body: "" };
  }
  upstream.fetches += 1;
  return { status: 200, body: JSON.stringify(upstream.document) };
}
