import { once } from "node:events";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { connect as connectPlain } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { describe, expect, onTestFinished, test } from "vitest";
import { Authority, type Identity, makeDirectory, writeFiles } from "./_certificates.ts";
import { countConnections } from "../../server-kit/test/_server.ts";
import { eventually } from "./_command.ts";
import { KEY, MemoryLogger } from "./_proxy.ts";
import { furtherPort, keepAlive, send, startServed, tlsConfig } from "./_served.ts";

function setUp(): { readonly authority: Authority; readonly paths: { cert: string; key: string } } {
  const authority = new Authority();
  const { cert, key } = authority.issue("first");
  return { authority, paths: writeFiles({ cert, key }) };
}

describe("TLS", () => {
  test("TLS replaces plain HTTP on the main port for flags, health and streams", async () => {
    const { authority, paths } = setUp();
    const { url, port } = await startServed({ tls: tlsConfig(paths) });
    expect(url).toBe(`https://127.0.0.1:${port}`);
    const { cert: ca } = authority;
    const flags = await send(`${url}/proxy`, { ca });
    expect(flags).toMatchObject({ status: 200, servedBy: "first" });
    expect(JSON.parse(flags.body)).toHaveProperty("toggles");
    expect((await send(`${url}/proxy/health`, { ca })).body).toBe("ok");
    const stream = await send(`${url}/proxy/stream`, {
      ca,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ context: {} }),
    });
    expect(JSON.parse(stream.body)).toMatchObject({
      url: expect.stringContaining(`https://127.0.0.1:${port}/proxy/stream?token=`) as unknown,
    });
    await expect(send(`http://127.0.0.1:${port}/proxy`)).rejects.toThrow(/hang up|ECONNRESET/);
  });

  test("the server accepts HTTP/1.1, and TLS 1.2 or later", async () => {
    const { authority, paths } = setUp();
    const { port } = await startServed({ tls: tlsConfig(paths) });
    const options = { host: "127.0.0.1", port, ca: authority.cert };
    const socket = connectTls({ ...options, ALPNProtocols: ["h2", "http/1.1"] });
    await once(socket, "secureConnect");
    expect(socket.alpnProtocol).toBe("http/1.1");
    socket.destroy();
    const old = connectTls({ ...options, minVersion: "TLSv1", maxVersion: "TLSv1.1" });
    await expect(once(old, "secureConnect")).rejects.toThrow();
  });

  test("TLS on its own port leaves plain HTTP on the main port, with the same limit of connections", async () => {
    const { authority, paths } = setUp();
    const proxy = await startServed({ tls: tlsConfig(paths, { port: 0 }) }, { maxConnections: 2 });
    const plain = `http://127.0.0.1:${furtherPort(proxy)}`;
    const overPlain = await send(`${plain}/proxy`);
    const overTls = await send(`${proxy.url}/proxy`, { ca: authority.cert });
    expect(overPlain.status).toBe(200);
    expect(overPlain.body).toBe(overTls.body);
    const connections = () =>
      Promise.all([proxy.server, ...proxy.furtherServers].map(countConnections));
    await eventually(connections).toEqual([0, 0]);
    const peers = [furtherPort(proxy), proxy.port].map((port) => connectPlain(port, "127.0.0.1"));
    onTestFinished(() => peers.forEach((peer) => peer.destroy()));
    await eventually(connections).toEqual([1, 1]);
    // Neither can be closed for a new connection: they have just been opened.
    await expect(send(`${plain}/proxy/health`)).rejects.toThrow();
  });

  test("plain HTTP is redirected with a 308, and only to the same host", async () => {
    const { authority, paths } = setUp();
    const proxy = await startServed({ tls: tlsConfig(paths, { port: 0, redirects: true }) });
    const plain = `http://127.0.0.1:${furtherPort(proxy)}`;
    const redirect = await send(`${plain}/proxy?userId=7`, { method: "POST", body: "{}" });
    expect(redirect.status).toBe(308);
    expect(redirect.headers.location).toBe(`${proxy.url}/proxy?userId=7`);
    expect((await send(redirect.headers.location ?? "", { ca: authority.cert })).status).toBe(200);
    for (const host of ["evil.test/x", "a@b", "x y"]) {
      const refused = await send(`${plain}/proxy`, { headers: { host } });
      expect(refused.status).toBe(400);
      expect(refused.headers.location).toBeUndefined();
    }
    const named = await send(`${plain}//evil.test`, { headers: { host: "flags.test:80" } });
    expect(named.headers.location).toBe(`https://flags.test:${proxy.port}//evil.test`);
  });

  test("the server can require a client certificate of an authority", async () => {
    const { authority, paths } = setUp();
    const files = writeFiles({ ca: authority.cert });
    const { url } = await startServed({ tls: tlsConfig({ ...paths, ...files }) });
    const ca = authority.cert;
    expect(await send(`${url}/proxy`, { ca, ...authority.issue("client") })).toMatchObject({
      status: 200,
    });
    const stranger = new Authority("Other").issue("stranger");
    await expect(send(`${url}/proxy`, { ca })).rejects.toThrow(
      /certificate required|ECONNRESET|hang up/i,
    );
    await expect(send(`${url}/proxy`, { ca, ...stranger })).rejects.toThrow(
      /unknown ca|ECONNRESET|hang up/i,
    );
    const expired = authority.issue("expired", -1);
    await expect(send(`${url}/proxy`, { ca, ...expired })).rejects.toThrow(
      /expired|ECONNRESET|hang up/i,
    );
  });
});

/** A folder with the layout of a Kubernetes secret: files are links to a folder that is replaced. */
class MountedSecret {
  readonly #directory = makeDirectory();
  readonly paths = { cert: this.#path("tls.crt"), key: this.#path("tls.key") };
  #version = 0;

  constructor(identity: Identity) {
    this.replace(identity);
    symlinkSync("..data/tls.crt", this.paths.cert);
    symlinkSync("..data/tls.key", this.paths.key);
  }

  replace({ cert, key }: Identity): void {
    const previous = `..version-${this.#version}`;
    this.#version += 1;
    const next = `..version-${this.#version}`;
    mkdirSync(this.#path(next));
    writeFileSync(this.#path(next, "tls.crt"), cert);
    writeFileSync(this.#path(next, "tls.key"), key);
    symlinkSync(next, this.#path("..data_tmp"));
    renameSync(this.#path("..data_tmp"), this.#path("..data"));
    rmSync(this.#path(previous), { recursive: true, force: true });
  }

  #path(...parts: readonly string[]): string {
    return join(this.#directory, ...parts);
  }
}

describe("a renewed certificate", () => {
  test("a renewed certificate is used for new connections, even when Kubernetes replaces a secret; an unusable one is not", async () => {
    const authority = new Authority();
    const { cert: ca } = authority;
    const secret = new MountedSecret(authority.issue("first"));
    const logger = new MemoryLogger();
    const { url } = await startServed({ tls: tlsConfig(secret.paths) }, { logger });
    const servedBy = async () => (await send(`${url}/proxy/health`, { ca })).servedBy;
    const errors = () => logger.lines.filter(({ level }) => level === "error");
    const agent = keepAlive(ca);
    await send(`${url}/proxy/health`, { agent });

    secret.replace(authority.issue("second"));
    await eventually(servedBy).toBe("second");
    expect(await send(`${url}/proxy/health`, { agent })).toMatchObject({
      status: 200,
      servedBy: "first",
    });

    secret.replace({ ...authority.issue("third"), key: authority.issue("other").key });
    await eventually(() => errors().length).toBe(1);
    expect(String(errors()[0]?.parts[0])).toMatch(
      /^The TLS files have changed, but cannot be used, so the previous certificate stays in use: FLAGS_TLS_KEY_FILE: .* does not belong/,
    );
    secret.replace(authority.issue("expired", -1));
    await eventually(() => errors().length).toBe(2);
    expect(String(errors()[1]?.parts[0])).toMatch(/the certificate expired at /);
    expect(await servedBy()).toBe("second");

    secret.replace(authority.issue("fourth"));
    await eventually(servedBy).toBe("fourth");
    expect(errors()).toHaveLength(2);
  });

  test("a renewed certificate is used when its files are written in place, one after the other", async () => {
    const { authority, paths } = setUp();
    const logger = new MemoryLogger();
    const { url } = await startServed({ tls: tlsConfig(paths) }, { logger });
    const next = authority.issue("next");
    writeFileSync(paths.cert, next.cert);
    writeFileSync(paths.key, next.key);
    const servedBy = async () =>
      (await send(`${url}/proxy/health`, { ca: authority.cert })).servedBy;
    await eventually(servedBy).toBe("next");
    expect(logger.lines.filter(({ level }) => level === "error")).toEqual([]);
  });
});

describe("connections with TLS are limited like others", () => {
  test("an unfinished handshake counts as a connection, and is closed for a new one", async () => {
    const { authority, paths } = setUp();
    const { port, url } = await startServed({ tls: tlsConfig(paths) }, { maxConnections: 3 });
    const ca = authority.cert;
    const silent = Array.from({ length: 3 }, () => connectPlain(port, "127.0.0.1"));
    onTestFinished(() => silent.forEach((peer) => peer.destroy()));
    const closed = Promise.race(silent.map((peer) => once(peer.resume(), "close")));
    await Promise.all(silent.map((peer) => once(peer, "connect")));
    await expect(send(`${url}/proxy/health`, { ca })).rejects.toThrow();
    await eventually(() =>
      send(`${url}/proxy/health`, { ca }).then(
        ({ status }) => status,
        () => 0,
      ),
    ).toBe(200);
    await closed;
  });

  test("a connection is counted once, and no longer when it is closed", async () => {
    const { authority, paths } = setUp();
    const { url, server } = await startServed({ tls: tlsConfig(paths) });
    const agent = keepAlive(authority.cert);
    const connections = async () => {
      const { body } = await send(`${url}/proxy/internal-backstage/prometheus`, { agent });
      return /^flags_proxy_connections (\d+)$/m.exec(body)?.[1];
    };
    expect(await connections()).toBe("1");
    await send(`${url}/proxy`, { ca: authority.cert, headers: { connection: "close" } });
    const failing = connectPlain(server.address() as never);
    failing.on("error", () => {});
    failing.write("GET / HTTP/1.1\r\n\r\n");
    await once(failing.resume(), "close");
    await eventually(connections).toBe("1");
  });

  test("a handshake may take 10 s", async () => {
    const { paths } = setUp();
    const { port } = await startServed({ tls: tlsConfig(paths) });
    const silent = connectPlain(port, "127.0.0.1");
    await once(silent, "connect");
    const startMs = performance.now();
    silent.resume().on("error", () => {});
    await once(silent, "close");
    expect(performance.now() - startMs).toBeGreaterThan(9000);
  });
});

test("open ports close with the proxy, after the response in progress", async () => {
  const { authority, paths } = setUp();
  const proxy = await startServed({
    tls: tlsConfig(paths, { port: 0 }),
    management: { port: 0, host: "127.0.0.1" },
  });
  const plain = connectPlain(furtherPort(proxy), "127.0.0.1");
  plain.write(`GET /proxy HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\n\r\n`);
  await once(plain, "data");
  const agent = keepAlive(authority.cert);
  await send(`${proxy.url}/proxy`, { agent });
  await proxy.close();
  expect([proxy.server, ...proxy.furtherServers].map(({ listening }) => listening)).toEqual([
    false,
    false,
    false,
  ]);
});
