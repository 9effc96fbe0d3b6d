import { once } from "node:events";
import {
  createServer,
  get,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from "node:http";
import { createRequire } from "node:module";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { deflateSync, gzipSync } from "node:zlib";
import express from "express";
import Fastify from "fastify";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createApp, type ProxyApp, type ProxyOptions, Strategy } from "../src/index.ts";
import { DocumentSource } from "./_source.ts";

const nothing = (): void => {};
const OPTIONS: ProxyOptions = {
  flagsUrl: "http://flags.invalid/api",
  flagsApiToken: "upstream-token",
  clientKeys: ["client-key"],
  logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
};
const HEADERS = { authorization: "client-key", "content-type": "application/json" };
const DOCUMENT = {
  features: [
    { name: "on", enabled: true, strategies: [{ name: "default" }] },
    {
      name: "for-7",
      enabled: true,
      strategies: [{ name: "userWithId", parameters: { userIds: "7" } }],
    },
  ],
};

function create(options: ProxyOptions = {}): ProxyApp {
  const app = createApp({ ...OPTIONS, ...options }, new DocumentSource(DOCUMENT));
  onTestFinished(() => app.close());
  return app;
}

async function listen(listener: RequestListener | Server): Promise<string> {
  const server = typeof listener === "function" ? createServer(listener) : listener;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Expects that the proxy is served at a URL, for GET, POST, OFREP and streams. */
async function expectProxyAt(url: string): Promise<void> {
  const names = async (response: Response): Promise<unknown> => {
    expect(response.status).toBe(200);
    const { toggles, flags } = (await response.json()) as Record<
      string,
      { name?: string; key?: string }[]
    >;
    return (toggles ?? flags)?.map(({ name, key }) => name ?? key);
  };
  const post = (path: string, body: object): Promise<Response> =>
    fetch(url + path, { method: "POST", headers: HEADERS, body: JSON.stringify(body) });
  expect(await names(await fetch(`${url}/proxy?userId=7`, { headers: HEADERS }))).toEqual([
    "on",
    "for-7",
  ]);
  expect(await names(await post("/proxy", { context: { userId: "8" } }))).toEqual(["on"]);
  expect(
    await names(await post("/ofrep/v1/evaluate/flags", { context: { targetingKey: "7" } })),
  ).toEqual(["on", "for-7"]);
  const long = { context: { userId: "7", note: "x".repeat(100_000) } };
  expect(await names(await post("/proxy", long))).toEqual(["on", "for-7"]);
  expect((await post("/proxy", { context: 7 })).status).toBe(400);
  const issued = await post("/proxy/stream", { context: { userId: "7" } });
  const { url: streamUrl } = (await issued.json()) as { url: string };
  // NOTE: not with `fetch()`, which keeps the connection of a stream that is no longer read, and `close()` waits for it.
  const stream = get(streamUrl, { agent: false });
  const [{ headers }] = (await once(stream, "response")) as [IncomingMessage];
  expect(headers["content-type"]).toContain("text/event-stream");
  stream.destroy();
}

describe("createApp() is a request listener", () => {
  test("of node:http", async () => {
    await expectProxyAt(await listen(create()));
  });

  test("that can be mounted in Express, before or after a body parser, and passes on other paths", async () => {
    const app = create();
    const url = await listen(
      express()
        .use("/flags", app)
        .use(express.json({ limit: "1mb" }))
        .use("/parsed", app)
        .get("/flags/own", (_request, response) => void response.send("own")),
    );
    await expectProxyAt(`${url}/flags`);
    await expectProxyAt(`${url}/parsed`);
    expect(await (await fetch(`${url}/flags/own`)).text()).toBe("own");
    expect((await fetch(`${url}/flags/proxy`)).status).toBe(401);
    // A preflight of another path would otherwise allow pages of any site to call it.
    const preflight = await fetch(`${url}/flags/own`, { method: "OPTIONS" });
    expect(preflight.headers.get("allow")).toBe("GET, HEAD");
    expect(preflight.headers.get("access-control-allow-origin")).toBeNull();
  });

  test("that responds to other paths if it is mounted at the root of a server", async () => {
    const url = await listen(create());
    expect((await fetch(`${url}/own`)).status).toBe(404);
  });

  test("that a Fastify application can call, at the base path", async () => {
    const app = create({ proxyBasePath: "/flags" });
    const fastify = Fastify();
    fastify.addContentTypeParser("application/json", (_request, _payload, done) => done(null));
    fastify.all("/flags/*", (request, reply) => {
      reply.hijack();
      app(request.raw, reply.raw);
    });
    onTestFinished(() => fastify.close());
    const url = await fastify.listen({ port: 0, host: "127.0.0.1" });
    await expectProxyAt(`${url}/flags`);
  });

  test("that leaves a response alone that the program has sent in the meantime", async () => {
    const app = create();
    const url = await listen((request, response) => {
      app(request, response);
      response.writeHead(503).end("too late");
    });
    const response = await fetch(`${url}/proxy`, { headers: HEADERS });
    expect([response.status, await response.text()]).toEqual([503, "too late"]);
    expect((await fetch(`${url}/proxy`, { headers: HEADERS })).status).toBe(503);
  });

  test("that can be wrapped, to add headers and to observe responses", async () => {
    const app = create();
    const seen: unknown[] = [];
    const url = await listen((request, response) => {
      response.setHeader("x-own", "yes");
      response.once("finish", () => seen.push([request.method, response.statusCode]));
      app(request, response);
    });
    const response = await fetch(`${url}/proxy`, { headers: HEADERS });
    expect(response.headers.get("x-own")).toBe("yes");
    await response.text();
    expect(seen).toEqual([["GET", 200]]);
  });
});

describe("fetch()", () => {
  const send = async (app: ProxyApp, path: string, init: RequestInit = {}) =>
    app.fetch(new Request(`https://flags.example${path}`, { headers: HEADERS, ...init }));

  test("responds as the server does", async () => {
    const app = create();
    const url = await listen(app);
    for (const [path, init] of [
      ["/proxy?userId=7", {}],
      ["/proxy", { method: "HEAD" }],
      ["/proxy", { method: "POST", body: '{"context":{"userId":"7"}}' }],
      ["/proxy", { method: "POST", body: "{" }],
      ["/proxy", { method: "DELETE" }],
      ["/proxy/health", {}],
      ["/ofrep/v1/evaluate/flags/on", { method: "POST", body: "{}" }],
      ["/unknown", {}],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const [own, served] = await Promise.all([
        send(app, path, init),
        fetch(url + path, { headers: HEADERS, ...init }),
      ]);
      const headersOf = ({ headers }: Response): object => {
        // Those of the connection, and the length, which the runtime adds.
        const ignored = ["connection", "content-length", "date", "keep-alive"];
        return Object.fromEntries([...headers].filter(([name]) => !ignored.includes(name)));
      };
      expect([path, own.status, headersOf(own)]).toEqual([path, served.status, headersOf(served)]);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await own.text()).toBe(await served.text());
    }
  });

  test("takes the host from the URL", async () => {
    const app = createApp(
      { ...OPTIONS, allowedHosts: ["flags.example"] },
      new DocumentSource(DOCUMENT),
    );
    onTestFinished(() => app.close());
    const path = "/internal-backstage/metrics";
    expect((await send(app, path)).status).toBe(200);
    expect((await app.fetch(new Request(`https://evil.example${path}`))).status).toBe(421);
  });

  test("responds to conditional requests, and takes the address from the runtime", async () => {
    const document = {
      features: [
        {
          name: "here",
          enabled: true,
          strategies: [{ name: "remoteAddress", parameters: { IPs: "192.0.2.0/24" } }],
        },
      ],
    };
    const app = createApp(OPTIONS, new DocumentSource(document));
    onTestFinished(() => app.close());
    const request = () => new Request("https://flags.example/proxy", { headers: HEADERS });
    const here = await app.fetch(request(), { address: "192.0.2.1" });
    expect(await here.text()).toContain("here");
    expect(await (await app.fetch(request())).text()).toBe('{"toggles":[]}');
    const headers = { ...HEADERS, "if-none-match": here.headers.get("etag") ?? "" };
    const again = new Request("https://flags.example/proxy", { headers });
    expect((await app.fetch(again, { address: "192.0.2.1" })).status).toBe(304);
  });

  test("reads compressed bodies", async () => {
    const app = create();
    const post = (body: Buffer, coding: string) =>
      send(app, "/proxy", {
        method: "POST",
        headers: { ...HEADERS, "content-encoding": coding },
        body: new Uint8Array(body),
      });
    const text = '{"context":{"userId":"7"}}';
    for (const [coding, body] of [
      ["gzip", gzipSync(text)],
      ["deflate", deflateSync(text)],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await (await post(body, coding)).text()).toContain("for-7");
    }
    expect((await post(Buffer.from(text), "gzip")).status).toBe(400);
    expect((await post(gzipSync("x".repeat(5_000_000)), "gzip")).status).toBe(413);
    expect((await post(Buffer.from(text), "br")).status).toBe(415);
  });

  test("a client that leaves while it sends its body causes no error in the log", async () => {
    const errors: unknown[] = [];
    const logger = {
      debug: nothing,
      info: nothing,
      warn: nothing,
      error: (e: unknown) => errors.push(e),
    };
    const app = createApp({ ...OPTIONS, logger }, new DocumentSource(DOCUMENT));
    onTestFinished(() => app.close());
    const body = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
    const request = { method: "POST", headers: HEADERS, body, duplex: "half" } as RequestInit;
    expect((await app.fetch(new Request("https://flags.example/proxy", request))).status).toBe(400);
    expect(errors).toEqual([]);
  });

  test("has no streams, and rejects bodies that are too long", async () => {
    const app = create();
    const stream = await send(app, "/proxy/stream", {
      method: "POST",
      headers: { ...HEADERS, accept: "text/event-stream" },
      body: '{"context":{}}',
    });
    expect(stream.status).toBe(501);
    expect(stream.headers.get("access-control-allow-origin")).toBe("*");
    // An address would be of no use.
    const address = await send(app, "/proxy/stream", { method: "POST", body: '{"context":{}}' });
    expect(address.status).toBe(501);
    const body = JSON.stringify({ context: { note: "x".repeat(2_000_000) } });
    expect((await send(app, "/proxy", { method: "POST", body })).status).toBe(413);
  });
});

describe("listen()", () => {
  test.each([
    ["a port and a callback", (app: ProxyApp, done: () => void) => app.listen(0, done)],
    [
      "a port, a host and a callback",
      (app: ProxyApp, done: () => void) => app.listen(0, "127.0.0.1", done),
    ],
  ])("accepts %s", async (_title, start) => {
    const app = create();
    let url: Promise<string> | undefined;
    await new Promise<void>((resolve) => {
      url = start(app, resolve);
    });
    await expectProxyAt((await url) ?? "");
  });

  test("accepts an object, and rejects if the configuration is invalid or the port is in use", async () => {
    const url = await create().listen({ port: 0, host: "127.0.0.1" });
    await expectProxyAt(url);
    const port = Number(new URL(url).port);
    await expect(create().listen({ port, host: "127.0.0.1" })).rejects.toMatchObject({
      code: "EADDRINUSE",
    });
    await expect(createApp({ ...OPTIONS, refreshInterval: -1 }).listen(0)).rejects.toMatchObject({
      code: "FLAGS_CONFIG",
    });
  });
});

describe("listen() without a usable port, or on a proxy that is closed", () => {
  test.each([[undefined], ["web"], [-1], [65_536], [{}], [null]])(
    "%s is rejected",
    async (port) => {
      const app = create();
      await expect(app.listen(port as never)).rejects.toThrow(
        /^`port` must be a whole number from 0 to 65535/,
      );
    },
  );

  test("a port may be text, as in the environment", async () => {
    await expectProxyAt(await create().listen("0" as never));
  });

  test("opens no port after close()", async () => {
    const app = create();
    await app.close();
    await expect(app.listen(0)).rejects.toThrow("The proxy was closed");
  });

  test("close() waits for a port that is being opened, and closes it", async () => {
    const app = create();
    const listening = app.listen(0, "localhost");
    await app.close();
    await expect(fetch(`${await listening}/live`)).rejects.toThrow();
  });
});

test.each(["flagsReady", "fetch", "listen"] as const)(
  "whoever calls %s() gets the problems of the configuration, so `ready` need not be handled",
  async (method) => {
    const unhandled = vi.fn();
    process.on("unhandledRejection", unhandled);
    onTestFinished(() => void process.off("unhandledRejection", unhandled));
    const app = createApp({ ...OPTIONS, refreshInterval: -1 });
    const call = {
      flagsReady: () => app.flagsReady(),
      fetch: () => app.fetch(new Request("http://localhost/proxy")),
      listen: () => app.listen(0),
    }[method];
    await expect(call()).rejects.toMatchObject({ code: "FLAGS_CONFIG" });
    await sleep(0);
    expect(unhandled).not.toHaveBeenCalled();
  },
);

test.each(["addHook", "get", "inject", "register", "use", "routing"])(
  "app.%s(), which former applications had, names its replacement",
  (name) => {
    const app = create() as unknown as Record<string, () => void>;
    expect(() => app[name]?.()).toThrow(new RegExp(`^app\\.${name}\\(\\) does not exist: `));
  },
);

describe("the examples of the Unleash proxy run when the import is renamed", () => {
  const { createApp: createFromCommonJs } = createRequire(import.meta.url)("../dist/index.js") as {
    readonly createApp: typeof createApp;
  };

  test("an application that listens", async () => {
    const app = createFromCommonJs(
      {
        unleashUrl: "http://flags.invalid/api/",
        unleashApiToken: "*:default.upstream-token",
        clientKeys: ["client-key"],
        refreshInterval: 1000,
        logLevel: "fatal",
      },
      new DocumentSource(DOCUMENT),
    );
    onTestFinished(() => app.close());
    const url = await new Promise<string>((resolve) => {
      const listening: Promise<string> = app.listen(0, () => void listening.then(resolve));
    });
    await expectProxyAt(url);
  });

  test("an application with custom strategies", async () => {
    class ForTeam extends Strategy {
      constructor() {
        super("forTeam");
      }
      override isEnabled(parameters: { team: string }, context: { userId?: string }): boolean {
        return context.userId?.startsWith(parameters.team) === true;
      }
    }
    const document = {
      features: [
        {
          name: "team",
          enabled: true,
          strategies: [{ name: "forTeam", parameters: { team: "blue" } }],
        },
      ],
    };
    const strategies = [new ForTeam()];
    const app = createApp(
      { ...OPTIONS, customStrategies: strategies },
      new DocumentSource(document, strategies),
    );
    onTestFinished(() => app.close());
    const url = await app.listen(0);
    const names = async (userId: string): Promise<string> =>
      (await fetch(`${url}/proxy?userId=${userId}`, { headers: HEADERS })).text();
    expect(await names("blue-1")).toContain("team");
    expect(await names("red-1")).not.toContain("team");
  });
});

test("requests that arrive before the configuration is loaded wait for it", async () => {
  const app = create();
  const server = createServer(app);
  const url = await listen(server);
  const early = fetch(`${url}/proxy`, { headers: HEADERS });
  await sleep(0);
  expect((await early).status).toBe(200);
});
