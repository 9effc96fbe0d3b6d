import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { createConnections } from "../src/transport/connections.ts";
import { makeSelfSigned } from "./_certificates.ts";
import { createClient, flagNames, nextEvent, startClient, startUpstream } from "./_client.ts";
import { ForwardProxy } from "./_proxy.ts";
import type { Tls } from "./_upstream.ts";

const PATH = "/api/client/features";
const proxies: ForwardProxy[] = [];

async function startProxy(tls?: Tls): Promise<ForwardProxy> {
  const proxy = await ForwardProxy.start(tls);
  proxies.push(proxy);
  return proxy;
}

afterEach(async () => {
  vi.unstubAllEnvs();
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

const get = (url: string) => ({
  url: new URL(url),
  method: "GET" as const,
  headers: {},
  signal: new AbortController().signal,
});

describe("httpOptions", () => {
  let tls: Tls;

  beforeAll(() => {
    tls = makeSelfSigned();
  });

  it("rejectUnauthorized: a certificate that cannot be verified is rejected by default", async () => {
    const upstream = await startUpstream(tls);
    const client = createClient(upstream);
    const warned = nextEvent(client, "warn");
    client.start();
    expect((await warned)[0]).toContain("self-signed certificate");
    expect(client.snapshot).toBeUndefined();
    expect(upstream.requests).toEqual([]);
  });

  it("an upstream without TLS at an https: URL is explained", async () => {
    const { url } = await startUpstream();
    const client = createClient({ url: url.replace("http:", "https:") });
    const warned = nextEvent(client, "warn");
    client.start();
    expect((await warned)[0]).toMatch(
      /: the server does not use TLS on this port: check the scheme and the port of the URL$/,
    );
  });

  it("rejectUnauthorized: false accepts any certificate", async () => {
    const upstream = await startUpstream(tls);
    const client = await startClient(upstream, { httpOptions: { rejectUnauthorized: false } });
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("ca: a certificate of this authority is accepted", async () => {
    const upstream = await startUpstream(tls);
    const client = await startClient(upstream, { httpOptions: { ca: tls.cert } });
    expect(flagNames(client)).toEqual(["a"]);
  });

  it("cert, key: the client authenticates to an upstream that requires a certificate", async () => {
    const { cert: ca } = tls;
    const mutual = { ...tls, ca, requestCert: true, rejectUnauthorized: true };
    const upstream = await startUpstream(mutual);
    const client = await startClient(upstream, { httpOptions: { ca, ...tls } });
    expect(flagNames(client)).toEqual(["a"]);
    const stranger = createClient(upstream, { httpOptions: { ca } });
    const warned = nextEvent(stranger, "warn");
    stranger.start();
    await warned;
    expect(stranger.snapshot).toBeUndefined();
  });

  it("cert, key: a key that is not PEM or does not match is an error that does not repeat it", async () => {
    const upstream = await startUpstream();
    for (const httpOptions of [
      { cert: tls.cert, key: "secret" },
      { cert: tls.cert, key: makeSelfSigned().key },
    ]) {
      expect(() => createClient(upstream, { httpOptions })).toThrow(
        /^Cannot create a flags client: httpOptions\.ca, cert or key is not valid PEM(?!.*secret)/,
      );
    }
  });

  it("ca: a certificate of another authority is rejected", async () => {
    const upstream = await startUpstream(tls);
    const client = createClient(upstream, { httpOptions: { ca: [makeSelfSigned().cert] } });
    const warned = nextEvent(client, "warn");
    client.start();
    await warned;
    expect(upstream.requests).toEqual([]);
  });

  it.each([
    ["rejectUnauthorized: false", (): object => ({ rejectUnauthorized: false })],
    ["ca", (): object => ({ ca: tls.cert })],
  ])("%s applies through a proxy as well", async (_name, httpOptions) => {
    const [upstream, proxy] = [await startUpstream(tls), await startProxy()];
    const client = await startClient(upstream, {
      httpOptions: httpOptions(),
      httpsProxy: `http://${proxy.host}`,
    });
    expect(flagNames(client)).toEqual(["a"]);
    expect(proxy.seen[0]?.line).toBe(`CONNECT 127.0.0.1:${upstream.port}`);
  });

  it("rejectUnauthorized: a certificate is verified through a proxy as well", async () => {
    const [upstream, proxy] = [await startUpstream(tls), await startProxy()];
    const client = createClient(upstream, { httpsProxy: `http://${proxy.host}` });
    const warned = nextEvent(client, "warn");
    client.start();
    expect((await warned)[0]).toContain("self-signed certificate");
    expect(upstream.requests).toEqual([]);
  });
});

describe("proxies", () => {
  it("httpProxy receives HTTP requests without a tunnel", async () => {
    const [upstream, proxy] = [await startUpstream(), await startProxy()];
    await startClient(upstream, { httpProxy: `http://${proxy.host}`, token: "token" });
    expect(proxy.seen[0]).toEqual({
      line: `GET ${upstream.origin}${PATH}`,
      authorization: undefined,
    });
    expect(upstream.requests[0]?.headers).toMatchObject({
      authorization: "token",
      host: `127.0.0.1:${upstream.port}`,
    });
  });

  it("httpProxy receives its user name and password", async () => {
    const [upstream, proxy] = [await startUpstream(), await startProxy()];
    await startClient(upstream, { httpProxy: `http://user:p%40ss@${proxy.host}` });
    const expected = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
    expect(proxy.seen[0]?.authorization).toBe(expected);
    expect(upstream.requests[0]?.headers).not.toHaveProperty("authorization");
  });

  it.each(["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"])(
    "%s is used if the option is not set",
    async (variable) => {
      const [upstream, proxy] = [await startUpstream(), await startProxy()];
      vi.stubEnv(variable, `http://${proxy.host}`);
      await startClient(upstream);
      expect(proxy.seen).not.toEqual([]);
    },
  );

  it("the option overrides HTTP_PROXY, and an empty string means no proxy", async () => {
    const [upstream, proxy] = [await startUpstream(), await startProxy()];
    vi.stubEnv("HTTP_PROXY", `http://${proxy.host}`);
    await startClient(upstream, { httpProxy: "" });
    expect(proxy.seen).toEqual([]);
  });

  it.each([
    ["127.0.0.1", 0],
    ["other.test, 127.0.0.1", 0],
    ["*", 0],
    ["127.0.0.1:1", 1],
    ["other.test", 1],
  ])("noProxy %j sends %d of 1 request through the proxy", async (noProxy, expected) => {
    const [upstream, proxy] = [await startUpstream(), await startProxy()];
    const httpProxy = `http://${proxy.host}`;
    await startClient(upstream, { httpProxy, noProxy, refreshIntervalMs: 0 });
    expect(proxy.seen).toHaveLength(expected);
  });

  it.each(["NO_PROXY", "no_proxy"])("%s is used if the option is not set", async (variable) => {
    const [upstream, proxy] = [await startUpstream(), await startProxy()];
    vi.stubEnv(variable, "127.0.0.1");
    await startClient(upstream, { httpProxy: `http://${proxy.host}` });
    expect(proxy.seen).toEqual([]);
  });

  it("HTTP_PROXY is not used for HTTPS requests, nor HTTPS_PROXY for HTTP requests", async () => {
    const tls = makeSelfSigned();
    const [upstream, secure, proxy] = [
      await startUpstream(),
      await startUpstream(tls),
      await startProxy(),
    ];
    vi.stubEnv("HTTP_PROXY", `http://${proxy.host}`);
    await startClient(secure, { httpOptions: { ca: tls.cert } });
    vi.stubEnv("HTTP_PROXY", undefined);
    vi.stubEnv("HTTPS_PROXY", `http://${proxy.host}`);
    await startClient(upstream);
    expect(proxy.seen).toEqual([]);
  });

  it("HTTP_PROXY overrides ALL_PROXY, and an empty string means no proxy", async () => {
    const [upstream, proxy, other] = [
      await startUpstream(),
      await startProxy(),
      await startProxy(),
    ];
    vi.stubEnv("ALL_PROXY", `http://${other.host}`);
    vi.stubEnv("HTTP_PROXY", `http://${proxy.host}`);
    await startClient(upstream);
    expect(proxy.seen).not.toEqual([]);
    vi.stubEnv("HTTP_PROXY", "");
    await startClient(upstream);
    expect(other.seen).toEqual([]);
  });

  it("connections to a proxy may use TLS, with the CAs of the upstream", async () => {
    const tls = makeSelfSigned();
    const proxy = await startProxy(tls);
    const options = { httpProxy: `https://${proxy.host}`, httpsProxy: `https://${proxy.host}` };
    const [plain, secure] = [await startUpstream(), await startUpstream(tls)];
    await startClient(plain, { ...options, httpOptions: { ca: tls.cert } });
    await startClient(secure, { ...options, httpOptions: { ca: tls.cert } });
    expect(proxy.seen.map(({ line }) => line)).toEqual(
      expect.arrayContaining([`GET ${plain.origin}${PATH}`, `CONNECT 127.0.0.1:${secure.port}`]),
    );
  });

  it("a proxy that rejects a tunnel is a failure with its status", async () => {
    const proxy = await startProxy();
    proxy.tunnelResponse = "rejected";
    const closed = proxy.tunnelClosed();
    const client = createClient(
      { url: "https://127.0.0.1:1" },
      { httpsProxy: `http://${proxy.host}` },
    );
    const warned = nextEvent(client, "warn");
    client.start();
    expect((await warned)[0]).toContain(": the forward proxy responded with 407");
    await closed;
  });

  it("a proxy that does not open a tunnel is a failure after the time limit, and its connection is closed", async () => {
    const proxy = await startProxy();
    proxy.tunnelResponse = "none";
    const connections = createConnections({ timeoutMs: 50, httpsProxy: `http://${proxy.host}` });
    const closed = proxy.tunnelClosed();
    await expect(connections.send(get("https://127.0.0.1:1"))).rejects.toThrow(
      `the forward proxy http://${proxy.host} cannot be used: there is no response`,
    );
    await closed;
  });

  it("destroy() closes a connection to a proxy that has not opened a tunnel yet", async () => {
    const proxy = await startProxy();
    proxy.tunnelResponse = "none";
    const connections = createConnections({
      timeoutMs: 60_000,
      httpsProxy: `http://${proxy.host}`,
    });
    const closed = proxy.tunnelClosed();
    const sent = connections.send(get("https://127.0.0.1:1"));
    await expect.poll(() => proxy.seen).toHaveLength(1);
    connections.destroy();
    await expect(sent).rejects.toThrow("cannot be used: the connection was closed");
    await closed;
  });

  it.each(["http", "https"])(
    "a proxy that is down is a transient failure, which names the proxy without its password (%s)",
    async (scheme) => {
      const upstream = await startUpstream();
      const client = createClient(
        { url: upstream.url.replace("http:", `${scheme}:`) },
        {
          httpProxy: "http://user:secret@127.0.0.1:1",
          httpsProxy: "http://user:secret@127.0.0.1:1",
        },
      );
      const warned = nextEvent(client, "warn");
      client.start();
      expect((await warned)[0]).toContain(
        ": the forward proxy http://127.0.0.1:1 cannot be used: nothing is listening there",
      );
      expect(upstream.requests).toEqual([]);
    },
  );

  it("an invalid URL in a variable causes an error that names the variable, without its value", async () => {
    vi.stubEnv("HTTP_PROXY", "http://user:secret@:bad");
    const create = (): unknown => createClient({ url: "http://127.0.0.1:1" });
    expect(create).toThrow(/HTTP_PROXY/);
    expect(create).not.toThrow(/secret/);
  });
});
