import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { SourceDocument } from "./_source.ts";

export interface FeatureServer {
  /** What `FLAGS_URL` would be set to. */
  readonly url: string;
  /** What was posted, by path. */
  readonly posts: Map<string, unknown[]>;
  /** How many connections were made to it. */
  connections: number;
  /** How often the document was asked for. */
  fetches: number;
  document: SourceDocument;
  /** When set, every request is answered with this status. */
  failure: number | undefined;
}

/** A small upstream: serves a document, and remembers what is reported to it. */
export async function startFeatureServer(document: SourceDocument): Promise<FeatureServer> {
  const server = createServer((request, response) => {
    void answer(upstream, request).then(({ status, body }) => {
      response.writeHead(status, { "content-type": "application/json" }).end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
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

async function answer(upstream: FeatureServer, request: IncomingMessage) {
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
