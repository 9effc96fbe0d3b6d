import { createHash } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

/** A received request. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** Responds to one request, or fails to. */
export type Reply = (response: ServerResponse, request: SeenRequest) => void;

/** A flag that is always on. */
export const flag = (name: string, more: object = {}): object => ({
  name,
  enabled: true,
  strategies: [{ name: "default" }],
  ...more,
});

export const documentOf = (...features: readonly object[]): object => ({ version: 2, features });

export const json =
  (body: unknown, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(body));
  };

export const raw =
  (body: string | Buffer, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers }).end(body);
  };

export const status =
  (code: number, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(code, headers).end(code === 304 ? undefined : "a body");
  };

export const hang: Reply = () => undefined;

export const hangInBody: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.write('{"features":[');
};

export const reset: Reply = (response) => {
  response.socket?.resetAndDestroy();
};

/** Closes the connection before the announced end of the body. */
export const truncate: Reply = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"version":2,"features":[]', () => response.destroy());
};

const digest = (document: object): string =>
  createHash("sha256").update(JSON.stringify(document)).digest("hex").slice(0, 8);

/** Serves a document with an ETag, and 304 for a matching `If-None-Match`. */
export const serve =
  (document: object, etag = `"${digest(document)}"`): Reply =>
  (response, request) => {
    if (request.headers["if-none-match"] === etag) status(304, { etag })(response, request);
    else json(document, { etag })(response, request);
  };

export interface Tls {
  readonly key: string;
  readonly cert: string;
}

export const FEATURES = "/api/client/features";

/** An upstream on a real socket, with configurable responses. */
export class Upstream {
  readonly #server: Server;
  readonly #isTls: boolean;
  readonly #arrivals = new EventEmitter();
  readonly #scripts = new Map<string, Reply[]>();
  readonly #replies = new Map<string, Reply>();
  readonly requests: SeenRequest[] = [];

  private constructor(tls: Tls | undefined) {
    const listener: RequestListener = (request, response) => void this.#respond(request, response);
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
    this.#isTls = tls !== undefined;
    this.#arrivals.setMaxListeners(0);
    this.reply(FEATURES, serve(documentOf(flag("a"))));
    this.reply("/api/client/register", status(202));
    this.reply("/api/client/metrics", status(202));
  }

  static async start(tls?: Tls): Promise<Upstream> {
    const upstream = new Upstream(tls);
    await upstream.listen(0);
    return upstream;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, "127.0.0.1");
    await once(this.#server, "listening");
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get origin(): string {
    return `${this.#isTls ? "https" : "http"}://127.0.0.1:${this.port}`;
  }

  get url(): string {
    return `${this.origin}/api`;
  }

  /** Sets the response for a path. */
  reply(path: string, reply: Reply): void {
    this.#replies.set(path, reply);
  }

  /** Sets the responses for the next requests of a path, one each. */
  script(path: string, ...replies: readonly Reply[]): void {
    this.#scripts.set(path, [...replies]);
  }

  features(reply: Reply): void {
    this.reply(FEATURES, reply);
  }

  scriptFeatures(...replies: readonly Reply[]): void {
    this.script(FEATURES, ...replies);
  }

  seen(path: string): readonly SeenRequest[] {
    return this.requests.filter((request) => request.path === path);
  }

  /** Resolves to the next request of a path. */
  async next(path = FEATURES): Promise<SeenRequest> {
    const [request] = (await once(this.#arrivals, path)) as [SeenRequest];
    return request;
  }

  /** Resolves to the next requests of a path. */
  async nextOf(count: number, path = FEATURES): Promise<readonly SeenRequest[]> {
    const requests: SeenRequest[] = [];
    while (requests.length < count) requests.push(await this.next(path));
    return requests;
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #respond(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    response.on("error", () => undefined);
    const request = await toSeenRequest(incoming);
    this.requests.push(request);
    const reply =
      this.#scripts.get(request.path)?.shift() ?? this.#replies.get(request.path) ?? status(404);
    reply(response, request);
    this.#arrivals.emit(request.path, request);
  }
}

async function toSeenRequest(incoming: IncomingMessage): Promise<SeenRequest> {
  const [path = "", query = ""] = (incoming.url ?? "").split("?");
  const body = await text(incoming);
  return { method: incoming.method ?? "", path, query, headers: incoming.headers, body };
}
