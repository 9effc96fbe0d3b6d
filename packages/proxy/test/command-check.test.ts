import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer as createTcpServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { makeSelfSigned } from "../../sdk/test/_certificates.ts";
import { check, KEYS, report, TOKEN } from "./_check.ts";
import { runCommand } from "./_command.ts";
import { startKeyServer } from "./_signed-context.ts";

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts an upstream for the duration of a test. Returns its base address, which ends in `/api`. */
async function startUpstream(listener: RequestListener): Promise<string> {
  return `http://127.0.0.1:${await listen(createServer(listener))}/api`;
}

const serveDocument =
  (document: object, headers: Record<string, string> = {}): RequestListener =>
  (request, response) => {
    if (!request.url?.startsWith("/api/client/features")) response.writeHead(404).end();
    else if (request.headers["if-none-match"] === '"1"') response.writeHead(304, headers).end();
    else {
      response.writeHead(200, { "content-type": "application/json", etag: '"1"', ...headers });
      response.end(JSON.stringify(document));
    }
  };

const FLAG = { name: "on", enabled: true, strategies: [{ name: "default" }] };

describe("the report of flags-proxy check", () => {
  test("check reports all problems of the settings at once, worded as at startup", async () => {
    const environment = { PORT: "soon", FLAGS_FETCH_INTERVAL: "x" };
    const { stdout, code } = await check(environment);
    const start = await runCommand({ ...KEYS, ...environment });
    const problems = start.stderr.split("\n").filter((line) => line.startsWith("  - "));
    expect(problems).toHaveLength(3);
    for (const problem of problems) expect(stdout).toContain(problem);
    expect(stdout).toMatch(/\nNot usable: 3 problems\n$/);
    expect(code).toBe(1);
  });

  test("check warns of ports that are in use", async () => {
    const FLAGS_URL = await startUpstream(serveDocument({ version: 2, features: [FLAG] }));
    const PORT = String(await listen(createServer()));
    const FLAGS_MANAGEMENT_PORT = String(await listen(createServer()));
    const { problems, warnings } = await report({ FLAGS_URL, PORT, FLAGS_MANAGEMENT_PORT });
    const inUse = (port: string, variable: string): string =>
      `Cannot listen on port ${port} on 127.0.0.1: another program uses the port. Stop it, or choose another port with ${variable}. Ignore this if the proxy itself uses it`;
    expect(problems).toEqual([]);
    expect(warnings).toEqual(
      expect.arrayContaining([
        inUse(PORT, "PORT"),
        inUse(FLAGS_MANAGEMENT_PORT, "FLAGS_MANAGEMENT_PORT"),
      ]),
    );
    const free = await report({ FLAGS_URL });
    expect(free.warnings.join()).not.toContain("Cannot listen");
  });

  test("check reports that the upstream cannot verify keys", async () => {
    const FLAGS_URL = await startUpstream(serveDocument({ version: 2, features: [FLAG] }));
    const { problems } = await report({ FLAGS_URL, FLAGS_UPSTREAM_KEYS: "true" });
    expect(problems).toEqual([
      expect.stringMatching(
        /^The upstream cannot verify keys: http:\S+\/edge\/validate responded with 404/,
      ),
    ]);
  });

  test("check reports an upstream that cannot be reached once, also if it has to verify keys", async () => {
    const FLAGS_URL = "http://127.0.0.1:2/api";
    const { problems } = await report({ FLAGS_URL, FLAGS_UPSTREAM_KEYS: "true" });
    expect(problems).toEqual([expect.stringMatching(/^Cannot reach the upstream /)]);
  });

  test("check reports that the keys for signed contexts cannot be read, and nothing if they can", async () => {
    const FLAGS_URL = await startUpstream(serveDocument({ version: 2, features: [FLAG] }));
    const keyServer = await startKeyServer(() => []);
    const directory = mkdtempSync(join(tmpdir(), "flags-check-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const FLAGS_ACCESS_FILE = join(directory, "access.json");
    const jwt = {
      jwksUrl: keyServer.url,
      issuer: "https://login.example.com",
      audience: "flags",
      algorithms: ["RS256"],
    };
    const key = { name: "web", key: "a-key-for-browsers", signedContext: { jwt } };
    writeFileSync(FLAGS_ACCESS_FILE, JSON.stringify({ keys: [key] }));
    expect(await report({ FLAGS_URL, FLAGS_ACCESS_FILE })).toMatchObject({
      problems: [],
      warnings: [],
    });
    keyServer.state.status = 500;
    const { problems, warnings } = await report({ FLAGS_URL, FLAGS_ACCESS_FILE });
    expect(problems).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Cannot read the keys for signed contexts from http:\S+\/jwks\.json: .*500.*rejected with 503$/,
      ),
    ]);
  });

  test("check reports flags, segments and sizes, as text and as JSON", async () => {
    const document = { version: 2, features: [FLAG], segments: [{ id: 1, constraints: [] }] };
    const FLAGS_URL = await startUpstream(serveDocument(document));
    expect((await check({ FLAGS_URL })).stdout).toMatch(/Flags +1, with 1 segment, \d+ bytes\n/);
    expect(await report({ FLAGS_URL })).toMatchObject({
      problems: [],
      warnings: [],
      settings: {
        flagsUrl: FLAGS_URL,
        tokens: [{ project: "default", environment: "development" }],
        clientKeys: 2,
      },
      upstreams: [
        {
          source: "development",
          flags: 1,
          segments: 1,
          offersDelta: false,
          offersStreaming: false,
        },
      ],
    });
  });

  test("check reports settings and secrets in files", async () => {
    const directory = mkdtempSync(join(tmpdir(), "flags-check-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const [settings, token] = [join(directory, "settings.env"), join(directory, "token")];
    const FLAGS_URL = await startUpstream(serveDocument({ version: 2, features: [FLAG] }));
    writeFileSync(settings, `FLAGS_URL=${FLAGS_URL}\nFLAGS_API_TOKEN_FILE=${token}\n`);
    writeFileSync(token, `${TOKEN}\n`);
    const { stdout } = await check({ FLAGS_API_TOKEN: "" }, `--env-file=${settings}`);
    expect(stdout).toContain("for project default, environment development");
    expect(stdout).toContain("Usable: the proxy can start and get flags");
  });

  test("check reports custom strategies that are missing, and those that are loaded", async () => {
    const strategies = [{ name: "byCountry", parameters: {} }];
    const document = { version: 2, features: [{ ...FLAG, strategies }] };
    const FLAGS_URL = await startUpstream(serveDocument(document));
    expect((await report({ FLAGS_URL })).warnings).toEqual([
      'Flag "on": Strategy "byCountry" is unknown: it never matches. Add its file to FLAGS_CUSTOM_STRATEGIES_FILE',
    ]);
    const directory = mkdtempSync(join(tmpdir(), "flags-check-"));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const file = join(directory, "strategies.mjs");
    // The timer would keep the process alive.
    writeFileSync(
      file,
      "setInterval(() => {}, 1000); export default [{ name: 'byCountry', isEnabled: () => true }]",
    );
    const { warnings, settings } = await report({ FLAGS_URL, FLAGS_CUSTOM_STRATEGIES_FILE: file });
    expect(warnings).toEqual([]);
    expect(settings?.customStrategies).toEqual(["byCountry"]);
  });

  test.each([
    [90_000, "behind"],
    [-90_000, "ahead of"],
  ])(
    "check reports a clock that differs by %d ms, with its uncertainty",
    async (offsetMs, direction) => {
      const FLAGS_URL = await startUpstream((request, response) => {
        const date = new Date(Date.now() + offsetMs).toUTCString();
        serveDocument({ version: 2, features: [FLAG] }, { date })(request, response);
      });
      const { stdout, code } = await check({ FLAGS_URL });
      expect(stdout).toMatch(
        new RegExp(
          `Clock +(89|90)\\.\\d s ${direction} that of the upstream \\(Date header, accurate`,
        ),
      );
      expect(stdout).toContain("- The clock of this machine differs from that of the upstream");
      expect(code).toBe(0);
    },
  );

  test("check reports an upstream that ignores ETags, or does not offer the configured mode", async () => {
    const FLAGS_URL = await startUpstream((request, response) => {
      delete request.headers["if-none-match"];
      serveDocument({ version: 2, features: [FLAG] }, { age: "5" })(request, response);
    });
    const { warnings, upstreams } = await report({ FLAGS_URL, FLAGS_SYNCHRONIZATION: "streaming" });
    expect(warnings).toEqual([
      expect.stringContaining("does not respond with 304"),
      expect.stringContaining(
        "does not offer streaming, which FLAGS_SYNCHRONIZATION requests: the proxy polls",
      ),
    ]);
    // A response from a cache does not say what time it is.
    expect(upstreams[0]?.clockOffsetMs).toBeUndefined();
  });

  test("check reports that the features of an upstream are unknown if its other endpoints fail", async () => {
    const serve = serveDocument({ version: 2, features: [FLAG] });
    const FLAGS_URL = await startUpstream((request, response) => {
      if (/\/client\/features(?:\?|$)/.test(request.url ?? "")) serve(request, response);
      else response.writeHead(500).end();
    });
    const settings = { FLAGS_URL, FLAGS_SYNCHRONIZATION: "delta" };
    const { warnings, upstreams } = await report(settings);
    expect(upstreams).toEqual([expect.not.objectContaining({ offersDelta: expect.anything() })]);
    expect(warnings).toEqual([
      "A request for delta, which FLAGS_SYNCHRONIZATION sets, failed: the proxy polls until one succeeds",
    ]);
    expect((await check(settings)).stdout).toMatch(/Deltas +unknown, because the request failed/);
  });

  test("check reports client keys that name another environment", async () => {
    const query = { environment: "development" };
    const FLAGS_URL = await startUpstream(serveDocument({ version: 2, features: [FLAG], query }));
    const keys = "default:development.first-key,default:production.second-key";
    const settings = { FLAGS_URL, FLAGS_PROXY_CLIENT_KEYS: keys };
    const { warnings } = await report({ ...settings, FLAGS_API_TOKEN: "old-upstream-secret" });
    expect(warnings).toEqual([
      "FLAGS_PROXY_CLIENT_KEYS: entry 2 names the environment production, but gets the flags of development",
    ]);
    // The token says which environment it is for, so this is found without the upstream.
    expect((await report(settings)).problems).toEqual([
      expect.stringContaining("Entry 2 of FLAGS_PROXY_CLIENT_KEYS is a key for the environment"),
    ]);
  });

  test("check reports each environment, and which of them fails", async () => {
    const FLAGS_URL = await startUpstream((request, response) => {
      if (request.headers.authorization?.startsWith("*:test.") === true) {
        response.writeHead(401).end();
      } else {
        serveDocument({ version: 2, features: [FLAG] })(request, response);
      }
    });
    const settings = {
      FLAGS_URL,
      FLAGS_API_TOKEN: "*:production.upstream-secret,*:test.upstream-secret",
      FLAGS_PROXY_CLIENT_KEYS: "web:production.first-key,web:test.second-key",
    };
    const { problems, upstreams } = await report(settings);
    expect(upstreams).toMatchObject([{ source: "production", flags: 1 }]);
    expect(problems).toEqual([expect.stringMatching(/^test: /)]);
    const { stdout, code } = await check(settings);
    expect(stdout).toContain("\nUpstream, production\n");
    expect(code).toBe(1);
  });
});

describe("the explanations of flags-proxy check", () => {
  const onlyProblem = async (environment: Record<string, string>): Promise<string> => {
    const { problems } = await report(environment);
    expect(problems).toHaveLength(1);
    return problems[0] ?? "";
  };

  test("check explains that nothing listens, and that a host does not exist", async () => {
    expect(await onlyProblem({ FLAGS_URL: "http://127.0.0.1:2/api" })).toBe(
      "Cannot reach the upstream http://127.0.0.1:2/api: nothing is listening there. Check the host and port in FLAGS_URL, and whether the upstream is running",
    );
    expect(await onlyProblem({ FLAGS_URL: "http://flags.invalid/api" })).toMatch(
      /the host name (does not exist|cannot be resolved now)\. Check the host in FLAGS_URL/,
    );
  });

  test("check explains a page instead of flags, an invalid document and a server error", async () => {
    const page: RequestListener = (_request, response) =>
      response.writeHead(200, { "content-type": "text/html" }).end("<html>Log in</html>");
    expect(await onlyProblem({ FLAGS_URL: await startUpstream(page) })).toMatch(
      /\/client\/features sent an HTML page instead of flags\. Check whether FLAGS_URL is the address of the upstream, and whether a gateway responds in its place$/,
    );
    const other = await startUpstream(serveDocument({ toggles: [] }));
    expect(await onlyProblem({ FLAGS_URL: other })).toContain("features");
    const broken = await startUpstream((_request, response) => response.writeHead(502).end());
    expect(await onlyProblem({ FLAGS_URL: broken })).toContain("502: the server failed");
  });

  test("check explains an unknown certificate, an address with the wrong scheme and a closed connection", async () => {
    const listener = serveDocument({ version: 2, features: [FLAG] });
    const port = await listen(createTlsServer(makeSelfSigned(), listener));
    const FLAGS_URL = `https://127.0.0.1:${port}/api`;
    expect(await onlyProblem({ FLAGS_URL })).toContain("Set FLAGS_UPSTREAM_CA_FILE to a file");
    const accepted = { FLAGS_URL, HTTP_OPTIONS_REJECT_UNAUTHORIZED: "false" };
    expect((await report(accepted)).upstreams[0]?.flags).toBe(1);

    const plain = await startUpstream(listener);
    expect(await onlyProblem({ FLAGS_URL: plain.replace("http:", "https:") })).toContain(
      "the server does not use TLS on this port. Begin FLAGS_URL with http://",
    );
    expect(await onlyProblem({ FLAGS_URL: FLAGS_URL.replace("https:", "http:") })).toContain(
      "the connection was closed without a response. Check whether FLAGS_URL must begin with https://",
    );
  });

  test("check explains a server that speaks another protocol", async () => {
    const server = createTcpServer((socket) => socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    expect(await onlyProblem({ FLAGS_URL: `http://127.0.0.1:${port}/api` })).toMatch(
      /^Cannot reach /,
    );
  });
});
