import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { ConnectionGuard } from "flags-server-kit/http";
import { expect, onTestFinished, test } from "vitest";
import { DOCUMENT } from "../../test/_fast-path.ts";
import { KEY, MemoryLogger, proxyConfig } from "../../test/_proxy.ts";
import { DocumentSource } from "../../test/_source.ts";
import { inAnyHeader } from "../access/key-extractor.ts";
import { AccessControl } from "../access/access-control.ts";
import { createProtocol, type Protocol, type ProtocolDefinition } from "../api/protocol.ts";
import { PROXY } from "../api/protocols/proxy.ts";
import { ResponsePreparer } from "../response/prepare-response.ts";
import { ResponseCache } from "../response/response-cache.ts";
import { toSource } from "../sources.ts";
import { createFastPaths, createServerFactory } from "./fast-path.ts";

const IN_FRAMEWORK = 299;

interface Setup {
  readonly definition?: ProtocolDefinition;
  readonly prepare?: Protocol["preparer"]["prepare"];
}

/** Serves a protocol with the fast path alone. In place of the framework, it responds with 299. */
async function serve({ definition = PROXY, prepare }: Setup) {
  const config = proxyConfig();
  const preparer = prepare === undefined ? new ResponsePreparer() : { prepare };
  const sources = [toSource(new DocumentSource(DOCUMENT))];
  const access = new AccessControl(config, sources);
  const fastPaths = createFastPaths(config, {
    keys: access.keys,
    uses: access.uses,
    protocols: [createProtocol(definition, config, { preparer, reporter: undefined })],
    observe: () => {},
    cache: new ResponseCache(),
  });
  const guard = new ConnectionGuard({ maxConnections: 100, logger: new MemoryLogger(), hint: "" });
  const createServer = createServerFactory(fastPaths, {
    guard,
    isReady: () => true,
    isAllowed: undefined,
    readsForwarded: false,
    tls: undefined,
    tracer: undefined,
  });
  const server = createServer((_request, response) => {
    response.writeHead(IN_FRAMEWORK).end();
  }, {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/proxy`;
  return {
    get: (headers: Record<string, string> = { authorization: KEY }) => fetch(url, { headers }),
    post: (body: string) =>
      fetch(url, {
        method: "POST",
        headers: { authorization: KEY, "content-type": "application/json" },
        body,
      }),
  };
}

// A lack of memory, for example, which tests cannot cause.
test.each(["GET", "POST"])(
  "%s: the framework prepares a response again that failed",
  async (method) => {
    let failures = 1;
    const preparer = new ResponsePreparer();
    const { get, post } = await serve({
      prepare: (...parameters) => {
        if (failures === 0) return preparer.prepare(...parameters);
        failures -= 1;
        throw new Error("No memory left");
      },
    });
    const send = () => (method === "GET" ? get() : post('{"context":{"userId":"u"}}'));
    expect((await send()).status).toBe(IN_FRAMEWORK);
    expect((await send()).status).toBe(200);
  },
);

test.each(["GET", "POST"])(
  "%s: the connection is closed if a response fails after the body was read",
  async (method) => {
    let fails = true;
    const preparer = new ResponsePreparer();
    const { get, post } = await serve({
      prepare: (...parameters) =>
        fails ? Promise.reject(new Error("No memory left")) : preparer.prepare(...parameters),
    });
    const send = () => (method === "GET" ? get() : post('{"context":{"userId":"u"}}'));
    await expect(send()).rejects.toThrow("fetch failed");
    fails = false;
    expect((await send()).status).toBe(200);
  },
);

test("keys are found where the protocol expects them", async () => {
  const definition = { ...PROXY, createKeyExtractor: () => inAnyHeader(["x-api-key"]) };
  const { get } = await serve({ definition });
  expect((await get({ "x-api-key": KEY })).status).toBe(200);
  expect((await get({ "x-api-key": `Bearer ${KEY}` })).status).toBe(200);
  expect((await get({ "x-api-key": "unknown" })).status).toBe(IN_FRAMEWORK);
  expect((await get({ authorization: KEY })).status).toBe(IN_FRAMEWORK);
});
