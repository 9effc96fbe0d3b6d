import { request, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { expect, test } from "vitest";
import { KEY, MemoryLogger, startProxy } from "./_proxy.ts";

/** Requests as the clients of mobile platforms send them, including their quirks. */
interface RecordedClient {
  readonly name: string;
  /** Follows the URL that the client was configured with. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly metrics: {
    readonly path: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly instanceId: string;
  };
}

const ANDROID_HEADERS = {
  Authorization: KEY,
  "Content-Type": "application/json",
  "UNLEASH-APPNAME": "shop",
  "User-Agent": "shop",
  "UNLEASH-CONNECTION-ID": "0b0c5d8e-6f0a-4a57-8a63-64a3e7d0b0a5",
  "UNLEASH-INSTANCEID": "0b0c5d8e-6f0a-4a57-8a63-64a3e7d0b0a5",
  "UNLEASH-SDK": "unleash-client-android:2.0.0",
  "Accept-Encoding": "gzip",
};
const IOS_HEADERS = {
  Authorization: KEY,
  "Content-Type": "application/json",
  "unleash-appname": "shop",
  "unleash-connection-id": "7A1D5A5E-8A0B-4E0E-9C53-2F3A3C8E2B11",
  "unleash-sdk": "unleash-ios-sdk:2.4.0",
};
const FLUTTER_HEADERS = {
  Authorization: KEY,
  accept: "application/json",
  Cache: "no-cache",
  "unleash-appname": "shop",
  "unleash-connection-id": "7a1d5a5e-8a0b-4e0e-9c53-2f3a3c8e2b11",
  "unleash-sdk": "unleash-flutter-sdk:1.9.8",
};

const CLIENTS: readonly RecordedClient[] = [
  {
    name: "Android",
    query: "?appName=shop&userId=7&properties%5Bplan%5D=gold",
    headers: ANDROID_HEADERS,
    metrics: {
      path: "/client/metrics",
      headers: ANDROID_HEADERS,
      instanceId: "0b0c5d8e-6f0a-4a57-8a63-64a3e7d0b0a5",
    },
  },
  {
    name: "Android, legacy",
    query: "?userId=7&sessionId&remoteAddress&properties%5Bplan%5D=gold",
    headers: { Authorization: KEY },
    metrics: { path: "/client/metrics", headers: { Authorization: KEY }, instanceId: "" },
  },
  {
    name: "iOS",
    query: "?appName=shop&environment=default&sessionId=4711&userId=7&properties%5Bplan%5D=gold",
    headers: { ...IOS_HEADERS, "If-None-Match": "" },
    metrics: {
      path: "/client/metrics",
      headers: { ...IOS_HEADERS, Accept: "application/json", Cache: "no-cache" },
      instanceId: "swift",
    },
  },
  {
    name: "Flutter",
    query: "?sessionId=4711&appName=shop&environment=default&userId=7&properties%5Bplan%5D=gold",
    headers: FLUTTER_HEADERS,
    metrics: {
      path: "//client/metrics",
      headers: { ...FLUTTER_HEADERS, "Content-Type": "application/json" },
      instanceId: "flutter",
    },
  },
];

const PATHS = ["/proxy", "/api/frontend", "/api/proxy"] as const;

interface Sent {
  readonly port: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Sends these headers and no others: `fetch()` would add its own. */
async function send({ port, body, ...sent }: Sent) {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host: "127.0.0.1", port, ...sent }, resolve)
      .on("error", reject)
      .end(body);
  });
  const isCompressed = response.headers["content-encoding"] === "gzip";
  const received = await text(isCompressed ? response.pipe(createGunzip()) : response);
  return { status: response.statusCode, headers: response.headers, body: received };
}

const CASES = CLIENTS.flatMap((client) =>
  PATHS.map((path) => [client.name, path, client] as const),
);

test.each(CASES)("the client for %s at %s: flags, and a 304", async (_name, path, client) => {
  const { port } = await startProxy();
  const { headers } = client;
  const sent = { port, method: "GET", path: path + client.query } as const;
  const first = await send({ ...sent, headers });
  expect(first.status).toBe(200);
  const { toggles } = JSON.parse(first.body) as {
    readonly toggles: readonly { readonly name: string; readonly variant: object }[];
  };
  const names = toggles.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(["on", "for-user-7", "for-plan-gold"]));
  // The iOS client crashes the app if a name is repeated.
  expect(new Set(names).size).toBe(names.length);
  // The decoders of these platforms do not accept null.
  expect(first.body).not.toContain("null");

  const etag = first.headers.etag ?? "";
  const again = await send({ ...sent, headers: { ...headers, "If-None-Match": etag } });
  expect(again.status).toBe(304);
  expect(again.body).toBe("");
});

test.each(CASES)("the client for %s at %s: usage", async (_name, path, { metrics }) => {
  const { port, source } = await startProxy();
  const body = JSON.stringify({
    appName: "shop",
    instanceId: metrics.instanceId,
    bucket: {
      start: "2026-11-21T10:00:00.000Z",
      stop: "2026-11-21T10:00:30.000Z",
      toggles: { on: { yes: 3, no: 0, variants: { disabled: 3 } } },
    },
  });
  const headers = { ...metrics.headers, "Content-Length": String(body.length) };
  const sent = { port, method: "POST", path: path + metrics.path, headers, body } as const;
  expect((await send(sent)).status).toBe(200);
  expect(source.usage).toMatchObject([
    { appName: "shop", features: { on: { yes: 3, no: 0, variants: { disabled: 3 } } } },
  ]);
});

test.each(PATHS)("repeated slashes in %s are ignored", async (path) => {
  const { port } = await startProxy();
  for (const doubled of [`/${path}`, `${path}//`, path.replaceAll("/", "//")]) {
    const sent = { port, method: "GET", path: doubled, headers: { Authorization: KEY } } as const;
    expect((await send(sent)).status, doubled).toBe(200);
  }
});

test("a client that aborts its request, as after a context change, is not logged as an error", async () => {
  const logger = new MemoryLogger();
  const { server, port, url } = await startProxy({ config: { logger } });
  const hungUp = new Promise<void>((resolve) => {
    server.once("connection", (socket) => socket.once("close", () => resolve()));
  });
  const sent = request({ port, host: "127.0.0.1", path: "/api/frontend", method: "POST" });
  sent.on("error", () => undefined);
  sent.setHeader("content-length", "1000");
  sent.write("{", () => sent.destroy());
  await hungUp;
  const response = await fetch(`${url}/api/frontend`, { headers: { authorization: KEY } });
  expect(response.status).toBe(200);
  expect(logger.lines).toEqual([]);
});
