import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Stored {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** The request headers in `Vary` of the response, with their values in the request. */
  readonly selecting: readonly (readonly [name: string, value: string | undefined])[];
}

/**
 * Starts an HTTP cache that several clients share, for the duration of a test. It follows RFC 9111, except that
 * responses stay fresh, so that no test depends on the time.
 */
export async function startSharedCache(origin: string) {
  const stored = new Map<string, Stored[]>();
  let hits = 0;
  const find = (url: string, headers: IncomingHttpHeaders): Stored | undefined =>
    stored
      .get(url)
      ?.find(({ selecting }) =>
        selecting.every(([name, value]) => headers[name]?.toString() === value),
      );
  const server = createServer((request, response) => {
    const { method, url = "", headers } = request;
    const send = ({ status, headers: sent, body }: Stored): void => {
      response.writeHead(status, { "cache-control": sent.get("cache-control") ?? "" });
      response.end(body);
    };
    const known = method === "GET" ? find(url, headers) : undefined;
    if (known !== undefined) {
      hits += 1;
      send(known);
      return;
    }
    const { host: _host, connection: _connection, ...passed } = headers;
    void forward(origin + url, passed as Record<string, string>).then((fetched) => {
      if (isStorable(fetched, headers)) stored.set(url, [...(stored.get(url) ?? []), fetched]);
      send(fetched);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => server.close().closeAllConnections());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, hits: () => hits };
}

async function forward(url: string, headers: Record<string, string>): Promise<Stored> {
  const response = await fetch(url, { headers });
  const vary = response.headers.get("vary")?.split(/, */) ?? [];
  return {
    status: response.status,
    headers: response.headers,
    body: await response.text(),
    selecting: vary.map((name) => [name.toLowerCase(), headers[name.toLowerCase()]]),
  };
}

function isStorable({ status, headers }: Stored, request: IncomingHttpHeaders): boolean {
  const directives = directivesOf(headers);
  const isForbidden = ["private", "no-store", "no-cache"].some((one) => directives.includes(one));
  const isAllowed = request.authorization === undefined || directives.includes("public");
  return status === 200 && isAllowed && !isForbidden;
}

function directivesOf(headers: Headers): readonly string[] {
  return headers.get("cache-control")?.split(/, */) ?? [];
}
