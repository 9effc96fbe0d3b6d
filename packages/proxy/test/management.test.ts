import { X509Certificate } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { describe, expect, test } from "vitest";
import { findFreePorts } from "../../../scripts/free-ports.mjs";
import { Authority, writeFiles } from "./_certificates.ts";
import { eventually, runCommand, startCommand } from "./_command.ts";
import { SERVER_TOKEN } from "./_proxy.ts";
import { startRecordingUpstream } from "./_recording-upstream.ts";
import { furtherPort, send, startServed } from "./_served.ts";

const management = { port: 0, host: "127.0.0.1" };

describe("the management port", () => {
  test.each([
    ["/proxy/health", 200, 200],
    ["/proxy/internal-backstage/prometheus", 200, 404],
    ["/internal-backstage/health", 200, 404],
    ["/internal-backstage/ready", 200, 404],
    ["/internal-backstage/metrics", 200, 404],
    ["/internal-backstage/prometheus", 200, 404],
    ["/internal-backstage/features", 200, 404],
    ["/internal-backstage/tokens", 200, 404],
    ["/live", 200, 200],
    ["/ready", 200, 200],
    ["/status", 200, 404],
    ["/proxy", 404, 401],
  ])(
    "%s has the status %i on the management port, and %i on the main port",
    async (path, there, onMain) => {
      const served = await startServed({ management }, { basePath: "/base" });
      const headers = { authorization: SERVER_TOKEN };
      const url = `http://127.0.0.1:${furtherPort(served)}/base`;
      expect((await send(url + path, { headers })).status).toBe(there);
      expect((await send(served.url + path, { headers })).status).toBe(onMain);
    },
  );

  test("the management port requires a server token for the state of sources", async () => {
    const served = await startServed({ management });
    const url = `http://127.0.0.1:${furtherPort(served)}/internal-backstage/features`;
    expect((await send(url)).status).toBe(401);
  });

  test("the management port reports the metrics of the main port", async () => {
    const served = await startServed({ management });
    await send(`${served.url}/proxy`);
    const url = `http://127.0.0.1:${furtherPort(served)}/internal-backstage/metrics`;
    expect((await send(url)).body).toContain(
      'flags_proxy_http_requests_total{method="GET",route="/proxy",status="200"} 1',
    );
  });
});

describe("flags-proxy", () => {
  test("serves all ports with workers, renews their certificate, and stops", async () => {
    const authority = new Authority();
    const { cert, key } = authority.issue("first");
    const files = writeFiles({ cert, key });
    const { url: FLAGS_URL } = await startRecordingUpstream();
    const [PORT = "", tlsPort = "", managementPort = ""] = (await findFreePorts(3)).map(String);
    const environment = {
      PORT,
      FLAGS_TLS_PORT: tlsPort,
      FLAGS_MANAGEMENT_PORT: managementPort,
      FLAGS_TLS_CERT_FILE: files.cert,
      FLAGS_TLS_KEY_FILE: files.key,
      FLAGS_TLS_REDIRECT: "true",
    };
    const command = startCommand({
      ...environment,
      FLAGS_URL,
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: "client-key-1",
      FLAGS_PROXY_WORKERS: "2",
    });
    const url = await command.listening();
    expect(url).toBe(`https://127.0.0.1:${tlsPort}`);
    const { cert: ca } = authority;
    await eventually(async () => (await send(`${url}/proxy/health`, { ca })).status).toBe(200);
    const redirect = await send(`http://127.0.0.1:${PORT}/proxy`);
    expect(redirect.headers.location).toBe(`${url}/proxy`);
    const metrics = await send(`http://127.0.0.1:${managementPort}/internal-backstage/metrics`);
    expect(metrics.body).toContain("flags_proxy_workers 2");
    const [, expiry] =
      /^flags_proxy_tls_certificate_expiry_timestamp_seconds (\S+)$/m.exec(metrics.body) ?? [];
    expect(Number(expiry) * 1000).toBe(Date.parse(new X509Certificate(cert).validTo));

    const probes = [
      ["health", "/proxy/health"],
      ["ready", "/ready"],
    ] as const;
    for (const [probe, path] of probes) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      const viaManagement = await runCommand(environment, [probe]);
      expect(viaManagement.stdout).toMatch(
        new RegExp(`^http://127\\.0\\.0\\.1:${managementPort}${path}: status 200`),
      );
    }
    const overTls = await runCommand({ ...environment, FLAGS_MANAGEMENT_PORT: "" }, ["health"]);
    expect(overTls).toMatchObject({ code: 0 });
    expect(overTls.stdout).toContain(`${url}/proxy/health: status 200`);
    const withClientCa = { ...environment, FLAGS_TLS_CLIENT_CA_FILE: files.cert };
    const refused = await runCommand({ ...withClientCa, FLAGS_MANAGEMENT_PORT: "" }, ["health"]);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain("set FLAGS_MANAGEMENT_PORT");

    const next = authority.issue("second");

    writeFileSync(files.cert, next.cert);
    writeFileSync(files.key, next.key);
    const servedByBoth = async () => {
      const replies = [
        await send(`${url}/proxy/health`, { ca }),
        await send(`${url}/proxy/health`, { ca }),
      ];
      return replies.map(({ servedBy }) => servedBy);
    };
    await eventually(servedByBoth).toEqual(["second", "second"]);
    command.signal("SIGTERM");
    expect(await command.finished()).toMatchObject({ code: 0, stderr: "" });
  });

  test("names the setting of a port that cannot be opened", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const port = String((holder.address() as AddressInfo).port);
    const { code, stderr } = await runCommand({
      FLAGS_URL: "http://127.0.0.1:1/api",
      FLAGS_API_TOKEN: "upstream-token",
      FLAGS_PROXY_CLIENT_KEYS: "client-key-1",
      FLAGS_MANAGEMENT_PORT: port,
      LOG_LEVEL: "error",
    });
    holder.close();
    expect(code).toBe(1);
    expect(stderr).toBe(
      `Cannot listen on port ${port} on 127.0.0.1: another program uses the port. Stop it, or choose another port with FLAGS_MANAGEMENT_PORT\n`,
    );
  });
});
