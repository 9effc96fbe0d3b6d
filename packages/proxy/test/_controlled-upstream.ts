import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import type { SourceDocument } from "./_source.ts";

/** An upstream with ETags that a test can make fail and wait. */
export interface ControlledUpstream {
  /** The value for `flagsUrl`. */
  readonly url: string;
  /** The statuses of responses to requests for the document. */
  readonly statuses: number[];
  /** The bodies of POST requests, by path. */
  readonly posts: Map<string, unknown[]>;
  document: SourceDocument;
  /** When set, the status of every response. */
  failure: number | undefined;
  /**
   * From now on, requests for the document wait. Returns a function that resolves once so many do, and one that lets them go on.
   *
   * @param token only requests with this token do. @default all
   */
  hold(token?: string): {
    readonly waiting: (count: number) => Promise<void>;
    readonly release: () => void;
  };
}

export async function startControlledUpstream(
  document: SourceDocument,
): Promise<ControlledUpstream> {
  let gate: Promise<void> = Promise.resolve();
  let heldToken = "";
  let onHeld = (): void => undefined;
  const upstream: ControlledUpstream = {
    url: "",
    statuses: [],
    posts: new Map(),
    document,
    failure: undefined,
    hold(token = "") {
      heldToken = token;
      let held = 0;
      let release = (): void => undefined;
      gate = new Promise((resolve) => (release = resolve));
      let check = (): void => undefined;
      onHeld = () => {
        held += 1;
        check();
      };
      const waiting = (count: number): Promise<void> =>
        new Promise((resolve) => {
          check = () => void (held >= count && resolve());
          check();
        });
      return { waiting, release };
    },
  };
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = request.url?.split("?")[0] ?? "";
    const body = await text(request);
    const isPost = request.method === "POST";
    if (!isPost && request.headers.authorization?.includes(heldToken) === true) {
      onHeld();
      await gate;
    }
    const status = upstream.failure;
    if (status !== undefined) {
      if (!isPost) upstream.statuses.push(status);
      response.writeHead(status).end("{}");
    } else if (isPost) {
      upstream.posts.set(path, [...(upstream.posts.get(path) ?? []), JSON.parse(body)]);
      response.writeHead(202).end();
    } else {
      respondWithDocument(upstream, request, response);
    }
  };
  const server = createServer((request, response) => void respond(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(upstream, { url: `http://127.0.0.1:${port}/api` });
}

function respondWithDocument(
  { document, statuses }: ControlledUpstream,
  { headers }: IncomingMessage,
  response: ServerResponse,
): void {
  const body = JSON.stringify(document);
  const etag = `"${createHash("sha256").update(body).digest("hex").slice(0, 16)}"`;
  const isKnown = headers["if-none-match"] === etag;
  statuses.push(isKnown ? 304 : 200);
  response.writeHead(isKnown ? 304 : 200, { "content-type": "application/json", etag });
  response.end(isKnown ? undefined : body);
}
