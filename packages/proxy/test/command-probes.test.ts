import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { eventually, runCommand, startCommand, untilReady } from "./_command.ts";
import { Authority, writeFiles } from "./_certificates.ts";
import { findFreePort } from "./_ports.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";

const REQUIRED = { FLAGS_API_TOKEN: "upstream-token", FLAGS_PROXY_CLIENT_KEYS: "client-key" };

async function startServer(listener: RequestListener, host = "127.0.0.1"): Promise<string> {
  const server = createServer(listener).listen(0, host);
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return String((server.address() as AddressInfo).port);
}

test("health and ready fail until the proxy has flags, and then succeed", async () => {
  const hanging = await startRecordingUpstream();
  hanging.hang();
  const waiting = startCommand({ ...REQUIRED, FLAGS_URL: hanging.url });
  const waitingPort = new URL(await waiting.listening()).port;
  const { url: FLAGS_URL } = await startRecordingUpstream();
  const running = startCommand({ ...REQUIRED, FLAGS_URL, PROXY_BASE_PATH: "base/path" });
  const url = await running.listening();
  await untilReady(url);
  const { port } = new URL(url);
  const probes = [
    ["health", "/proxy/health"],
    ["ready", "/ready"],
  ] as const;
  for (const [name, path] of probes) {
    const failure = await runCommand({ PORT: waitingPort }, [name]);
    expect(failure).toMatchObject({ code: 1, stderr: "" });
    expect(failure.stdout).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:${waitingPort}${path}: status 503, \\d+ ms\\n$`),
    );
    const environment = { PORT: "", PROXY_PORT: port, PROXY_BASE_PATH: "/base/path/" };
    const success = await runCommand(environment, [name]);
    expect(success).toMatchObject({ code: 0, stderr: "" });
    expect(success.stdout).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:${port}/base/path${path}: status 200, \\d+ ms\\n$`),
    );
    for (const suffix of ["/", "/proxy", "/proxy/", "/api/frontend"]) {
      const byUrl = await runCommand({}, [name, "--url", `${url}${suffix}`]);
      expect(byUrl).toMatchObject({ code: 0, stderr: "" });
    }
  }
});

test("health connects to the address that the server listens on", async () => {
  const PORT = await startServer((_request, response) => response.end("ok"));
  for (const HOST of ["", "0.0.0.0", "127.0.0.1", "localhost"]) {
    expect((await runCommand({ PORT, HOST }, ["health"])).code).toBe(0);
  }
  const ipv6 = await startServer((_request, response) => response.end("ok"), "::1");
  for (const HOST of ["::", "::1"]) {
    const { code, stdout } = await runCommand({ PORT: ipv6, HOST }, ["health"]);
    expect(stdout).toContain(`http://[::1]:${ipv6}/proxy/health: status 200`);
    expect(code).toBe(0);
  }
});

test("health ignores HTTP_PROXY, does not follow redirects, and explains failures", async () => {
  const PORT = await startServer((_request, response) => response.end("ok"));
  const proxy = { HTTP_PROXY: "http://127.0.0.1:1", NODE_USE_ENV_PROXY: "1" };
  expect((await runCommand({ PORT, ...proxy }, ["health"])).code).toBe(0);

  const redirecting = await startServer((_request, response) =>
    response.writeHead(302, { location: `http://127.0.0.1:${PORT}/` }).end(),
  );
  const refused = await runCommand({ PORT: "1" }, ["health"]);
  const redirected = await runCommand({ PORT: redirecting }, ["health"]);
  const closing = await startServer((request) => request.socket.destroy());
  const closed = await runCommand({ PORT: closing }, ["health"]);
  expect([refused, redirected, closed].map(({ code }) => code)).toEqual([1, 1, 1]);
  expect(refused.stdout).toContain("no server is listening there");
  expect(redirected.stdout).toContain("status 302");
  expect(closed.stdout).toContain("the connection was closed without a response");
});

test("health gives up after 1.5 s, even if a response never ends", async () => {
  const silent = await startServer(() => {});
  const { code, stdout } = await runCommand({ PORT: silent }, ["health"]);
  expect(code).toBe(1);
  const [, durationMs] = /no response within 1\.5 s, (\d+) ms\n$/.exec(stdout) ?? [];
  expect(Number(durationMs)).toBeGreaterThan(1400);
  const endless = await startServer((_request, response) => response.write("ok"));
  expect((await runCommand({ PORT: endless }, ["health"])).code).toBe(0);
});

test("health reports invalid settings and addresses in one line", async () => {
  const outputOf = async (environment: Record<string, string>) => {
    const { code, stdout, stderr } = await runCommand(environment, ["health"]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    return stderr;
  };
  expect(await outputOf({ PORT: "soon" })).toContain("- PORT must be a whole number");
  expect(await outputOf({ PORT: "0" })).toContain("- PORT (option port) is 0, so the port");
  for (const [args, environment] of [
    [["--edge-url", "localhost"], {}],
    [[], { EDGE_URL: "localhost" }],
  ] as const) {
    const { code, stderr } = await runCommand(environment, ["health", ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^--edge-url or EDGE_URL must be a URL that starts with http/);
  }
  const edge = { UPSTREAM_URL: "http://127.0.0.1:1", BASE_PATH: "a b" };
  expect(await outputOf(edge)).toContain("- BASE_PATH must be a path");
  for (const credentials of ["user:hidden", ":hidden"]) {
    const args = ["health", "--url", `http://${credentials}@localhost`];
    const { code, stderr: secret } = await runCommand({}, args);
    expect(code).toBe(2);
    expect(secret).toMatch(/^--url must be a URL/);
    expect(secret).not.toContain("hidden");
  }
});

test("probes accept the options and variables of Edge, and trust its certificate authority", async () => {
  const authority = new Authority();
  const server = createTlsServer(authority.issue("localhost"), ({ url }, response) => {
    // As before the first flags.
    response.writeHead(url === "/base/internal-backstage/health" ? 200 : 503).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const url = `https://localhost:${(server.address() as AddressInfo).port}/base`;
  const { ca } = writeFiles({ ca: authority.cert });

  // One after the other, because of the time limit of probes.
  const short = await runCommand({}, ["health", "-e", url, "-c", ca]);
  const byVariable = await runCommand({ EDGE_URL: url, CA_CERTIFICATE_FILE: ca }, ["health"]);
  const ready = await runCommand({}, ["ready", "--edge-url", url, "--ca-certificate-file", ca]);
  const untrusted = await runCommand({}, ["health", "-e", url]);
  const missing = await runCommand({}, ["health", "-e", url, "-c", `${ca}.missing`]);
  for (const { code, stdout } of [short, byVariable]) {
    expect(stdout).toContain(`${url}/internal-backstage/health: status 200`);
    expect(code).toBe(0);
  }
  expect(ready.stdout).toContain(`${url}/ready: status 503`);
  expect(untrusted.stdout).toMatch(/certificate/);
  expect(missing.stderr).toContain("--ca-certificate-file");
  expect([ready.code, untrusted.code, missing.code]).toEqual([1, 1, 1]);
});

test("probes do not load the bundle of the server", async () => {
  const PORT = await startServer((_request, response) => response.end("ok"));
  const LISTING = `process.on("exit", () => console.log(process.moduleLoadList.join(" ")))`;
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(LISTING)}`;
  for (const name of ["health", "ready"]) {
    const { stdout } = await runCommand({ PORT, NODE_OPTIONS }, [name]);
    expect(stdout).toContain("status 200");
    // The bundle imports both.
    expect(stdout).not.toContain("NativeModule cluster");
    expect(stdout).not.toContain("NativeModule child_process");
  }
});

test("with TLS, settings of Edge open only the TLS port unless it redirects, and health finds it", async () => {
  const { url } = await startRecordingUpstream();
  const { cert, key } = writeFiles(new Authority().issue("proxy"));
  const [tlsPort, plainPort] = [await findFreePort(), await findFreePort()];
  const environment = {
    UPSTREAM_URL: url.replace(/\/api$/, ""),
    TOKENS: "*:development.an-upstream-secret",
    TLS_ENABLE: "true",
    TLS_SERVER_CERT: cert,
    TLS_SERVER_KEY: key,
    TLS_SERVER_PORT: String(tlsPort),
    PORT: String(plainPort),
  };
  const tls = `https://127.0.0.1:${tlsPort}`;
  const healthy = () => eventually(async () => (await runCommand(environment, ["health"])).stdout);

  const command = startCommand(environment);
  expect(await command.listening()).toBe(tls);
  await healthy().toMatch(`${tls}/proxy/health: status 200`);
  expect(command.output.stdout).toContain(`is listening on ${tls}/proxy\n`);
  await expect(fetch(`http://127.0.0.1:${plainPort}`)).rejects.toThrow("fetch failed");
  command.signal("SIGTERM");
  await command.finished();

  for (const FLAGS_PROXY_WORKERS of ["1", "2"]) {
    const redirecting = startCommand({
      ...environment,
      REDIRECT_HTTP_TO_HTTPS: "true",
      FLAGS_PROXY_WORKERS,
    });
    expect(await redirecting.listening()).toBe(tls);
    expect(redirecting.output.stdout).toContain(
      `is listening on ${tls}/proxy and http://127.0.0.1:${plainPort}/proxy, which redirects\n`,
    );
    redirecting.signal("SIGTERM");
    await redirecting.finished();
  }
});
