import { describe, expect, test } from "vitest";
import type { NetworkConfig } from "../src/config/load-network.ts";
import { KEY, proxyConfig, startProxy, type TestProxy } from "./_proxy.ts";
import { send, startServed, tlsConfig, furtherPort } from "./_served.ts";
import { Authority, writeFiles } from "./_certificates.ts";

const { network } = proxyConfig();

function start(
  lists: Partial<NetworkConfig>,
  trustProxy: readonly string[] | number | false = false,
): Promise<TestProxy> {
  return startProxy({ config: { network: { ...network, ...lists }, trustProxy } });
}

const FROM_ELSEWHERE = { denyList: ["127.0.0.0/8"] };
const ERROR = "Requests from this address are not allowed: contact the operator of this proxy";

describe("a request from an address that is not allowed gets a 403", () => {
  test.each([
    ["GET", "/proxy"],
    ["POST", "/proxy"],
    ["GET", "/proxy/all"],
    ["POST", "/proxy/stream"],
    ["GET", "/api/frontend"],
    ["GET", "/api/client/features"],
    ["POST", "/proxy/client/metrics"],
    ["GET", "/proxy/health"],
    ["GET", "/proxy/internal-backstage/prometheus"],
    ["GET", "/internal-backstage/health"],
    ["GET", "/no/such/path"],
  ])("%s %s", async (method, path) => {
    const proxy = await start(FROM_ELSEWHERE);
    const headers = { "content-type": "application/json" };
    const body = method === "POST" ? { body: "{}", headers } : {};
    const response = await proxy.request(path, { method, ...body });
    expect(response.status).toBe(403);
    expect(response.headers.get("cache-control")).toBe("no-store");
    // Pages can read the errors of the endpoints that they use.
    const isForPages = !/api\/client|internal-backstage/.test(path);
    expect(response.headers.get("access-control-allow-origin")).toBe(isForPages ? "*" : null);
    expect(await response.json()).toMatchObject({ error: ERROR });
  });

  test("a request from a disallowed address gets a 403 even without a valid key, in the format of the protocol", async () => {
    const proxy = await start(FROM_ELSEWHERE);
    const response = await proxy.request("/proxy", { headers: { authorization: "wrong" } });
    expect(response.status).toBe(403);
    const ofrep = await proxy.post("/ofrep/v1/evaluate/flags", { context: {} });
    expect(ofrep.status).toBe(403);
    expect(JSON.stringify(await ofrep.json())).toContain(ERROR);
  });

  test("a request from a disallowed address gets a 403 even for a path that cannot be routed", async () => {
    const proxy = await start(FROM_ELSEWHERE);
    expect((await proxy.request("/%zz")).status).toBe(403);
  });

  test("each request is checked on a connection whose peer forwards for several clients", async () => {
    const proxy = await start({ allowList: ["192.0.2.0/24"] }, ["127.0.0.1"]);
    const statusFor = async (headers: Record<string, string>) =>
      (await proxy.request("/proxy", { headers })).status;
    expect(await statusFor({ "x-forwarded-for": "192.0.2.1" })).toBe(200);
    expect(await statusFor({ "x-forwarded-for": "192.0.3.1" })).toBe(403);
    expect(await statusFor({ "x-forwarded-for": "192.0.2.1, 192.0.3.1" })).toBe(403);
    expect(await statusFor({ forwarded: "for=192.0.2.1" })).toBe(200);
    expect(await statusFor({ forwarded: 'for="192.0.2.1:4711";proto=https' })).toBe(200);
    expect(await statusFor({ forwarded: "for=192.0.2.1, for=192.0.3.1" })).toBe(403);
    expect(await statusFor({ forwarded: "for=_hidden" })).toBe(403);
    expect(await statusFor({ forwarded: "malformed" })).toBe(403);
    expect(await statusFor({})).toBe(403);
  });

  test("a request gets a 403 if the header that contains its address is malformed", async () => {
    const proxy = await start({ denyList: ["192.0.2.0/24"] }, ["127.0.0.1"]);
    const statusFor = async (forwarded: string) =>
      (await proxy.request("/proxy", { headers: { forwarded } })).status;
    // The client has sent the first element, and the load balancer has added the second one.
    expect(await statusFor('for="x, for=192.0.2.1')).toBe(403);
    expect(await statusFor("for=192.0.3.1")).toBe(200);
  });

  test("a client gets a 403 even if it adds a Forwarded header to that of the load balancer", async () => {
    const proxy = await start({ allowList: ["192.0.2.0/24"] }, ["127.0.0.1"]);
    const headers = { "x-forwarded-for": "192.0.3.1", forwarded: "for=192.0.2.1" };
    expect((await proxy.request("/proxy", { headers })).status).toBe(403);
  });

  test("a client gets a 403 even if it claims another address, unless its peer is trusted", async () => {
    const proxy = await start({ allowList: ["192.0.2.0/24"] });
    for (const headers of [{ "x-forwarded-for": "192.0.2.1" }, { forwarded: "for=192.0.2.1" }]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect((await proxy.request("/proxy", { headers })).status).toBe(403);
    }
  });
});

test("preflights get a response, because browsers could not read the error otherwise", async () => {
  const proxy = await start(FROM_ELSEWHERE);
  expect((await proxy.request("/proxy", { method: "OPTIONS" })).status).toBe(204);
});

test("the lists apply to a redirecting port, and not to the management port", async () => {
  const { cert, key } = new Authority().issue("proxy");
  const served = await startServed({
    ...FROM_ELSEWHERE,
    tls: tlsConfig(writeFiles({ cert, key }), { port: 0, redirects: true }),
    management: { port: 0, host: "127.0.0.1" },
  });
  const redirect = await send(`http://127.0.0.1:${furtherPort(served)}/proxy`);
  expect(redirect).toMatchObject({ status: 403, body: JSON.stringify({ error: ERROR }) });
  const management = `http://127.0.0.1:${furtherPort(served, 1)}`;
  expect((await send(`${management}/proxy/health`)).status).toBe(200);
});

test("a redirecting port trusts the same forwarded addresses as the other ports", async () => {
  const { cert, key } = new Authority().issue("proxy");
  const tls = tlsConfig(writeFiles({ cert, key }), { port: 0, redirects: true });
  const lists = { denyList: ["192.0.2.0/24"] };
  for (const [trustProxy, status] of [
    [["127.0.0.1"], 403],
    [false, 308],
  ] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const served = await startServed({ ...lists, tls }, { trustProxy });
    for (const headers of [{ "x-forwarded-for": "192.0.2.1" }, { forwarded: "for=192.0.2.1" }]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const response = await send(`http://127.0.0.1:${furtherPort(served)}/proxy`, { headers });
      expect(response.status).toBe(status);
    }
  }
});

test("Forwarded determines the address in the context, the scheme and the host", async () => {
  const proxy = await startProxy({
    config: { trustProxy: ["127.0.0.1"] },
    document: {
      features: [
        {
          name: "by-address",
          enabled: true,
          strategies: [{ name: "remoteAddress", parameters: { IPs: "192.0.2.1,2001:db8::1" } }],
        },
      ],
    },
  });
  const countFor = async (headers: Record<string, string>) => {
    const response = await proxy.request("/proxy", { headers });
    return ((await response.json()) as { toggles: unknown[] }).toggles.length;
  };
  expect(await countFor({ forwarded: 'for="192.0.2.1:1234"' })).toBe(1);
  expect(await countFor({ forwarded: 'for="[2001:db8::1]:1234"' })).toBe(1);
  expect(await countFor({ forwarded: "for=192.0.2.1, for=10.0.0.1" })).toBe(0);
  expect(await countFor({ forwarded: "for=192.0.2.1", "x-forwarded-for": "10.0.0.1" })).toBe(0);
  expect(await countFor({ forwarded: "for=unknown" })).toBe(0);
  const stream = await proxy.post(
    "/proxy/stream",
    { context: {} },
    { forwarded: "for=192.0.2.1;proto=https;host=flags.test", authorization: KEY },
  );
  expect(await stream.json()).toMatchObject({
    url: expect.stringMatching(/^https:\/\/flags\.test\/proxy\/stream\?/) as unknown,
  });
});
