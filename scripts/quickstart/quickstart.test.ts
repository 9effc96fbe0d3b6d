import { once } from "node:events";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer as createHttpServer, get } from "node:http";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import {
  choosePorts,
  findPid,
  openPorts,
  paste,
  type Ports,
  startQuickstart,
  START_TIMEOUT_MS,
  type Quickstart,
} from "./_quickstart.ts";

const TIMEOUT_MS = 2 * START_TIMEOUT_MS;

const KEYS_FILE = "quickstart-keys.json";
/** Tokens that the documentation of earlier versions published. */
const PUBLISHED = {
  admin: "*:*.demo-admin-token-for-this-machine-only",
  backend: "*:development.demo-backend-token-local",
};

let directory: string;
let ports: Ports;
let last: Quickstart | undefined;
let firstStartSeconds: number;
let firstTokens: ReturnType<Quickstart["tokens"]>;
let firstLink: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-quickstart-"));
  ports = await choosePorts();
});

afterAll(async () => {
  // A service that has closed its port may still write to its database.
  await rm(directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 500 });
});

afterEach(async () => {
  await last?.stop("SIGTERM");
}, START_TIMEOUT_MS);

/** These tests share one database and run in order. */
describe("npm start", () => {
  it(
    "creates demo flags and prints commands that read and switch them",
    async () => {
      const [start, firstFlags] = await Promise.all([startHere(), requestFlagsUntilServed()]);
      expect(namesIn(firstFlags)).toEqual(
        expect.arrayContaining(["new-header", "button-colour", "local-payments"]),
      );
      firstStartSeconds = await start.ready();
      firstTokens = start.tokens();
      firstLink = start.link();
      const page = await openLink(firstLink);
      const me = await fetch(`http://127.0.0.1:${ports.ADMIN_PORT}/api/admin/user`, {
        headers: { cookie: String(page) },
      });
      expect(await me.json()).toMatchObject({ user: { username: "demo" }, role: "admin" });
      const config = await fetch(`http://127.0.0.1:${ports.ADMIN_PORT}/api/admin/ui-config`, {
        headers: { cookie: String(page) },
      });
      // With these, the code in the console works as it is.
      expect(await config.json()).toMatchObject({
        frontendUrl: `http://127.0.0.1:${ports.PORT}/proxy`,
        frontendKey: "demo-web-key",
      });
      expect(await openLink(firstLink)).toBeUndefined();
      expect(start.output()).not.toMatch(/Installing|Building/);
      expect(start.output()).toContain("[admin] ");
      expect(start.output()).toContain("[proxy] ");
      expect(start.output()).toContain("Created 7 demo flags");

      const { read, turnOn, turnOff } = start.commands();
      expect(namesIn(paste(read))).toEqual(
        expect.arrayContaining(["new-header", "export-to-pdf", "button-colour"]),
      );
      expect(namesIn(paste(read))).not.toContain("old-checkout");
      // Each of these commands shows its effect.
      expect(paste(turnOff)).toContain('"name":"old-checkout","enabled":false');
      expect(paste(turnOn)).toContain('"name":"old-checkout","enabled":true');
      // For the next test.
      await deleteFlag("new-header");

      expect(await start.stop("SIGINT")).toBe(0);
      expect(await openPorts(ports)).toEqual([]);
      expect(start.output()).toContain("Stopping (SIGINT)\n");
      expect(start.output().match(/Received SIGINT, shutting down/g)).toHaveLength(2);
    },
    TIMEOUT_MS,
  );

  it(
    "keeps changes and deletions for the next start, and exits together with npm",
    async () => {
      const start = await startHere({}, ["npm", "start"]);
      const seconds = await start.ready();
      // CI shows these times. Other tests run at the same time, so there is no limit.
      console.log(`npm start, already built: first ${firstStartSeconds} s, second ${seconds} s`);
      expect(start.output()).not.toContain("Created");

      expect(start.tokens()).toEqual(firstTokens);
      expect(await openLink(firstLink)).toBeUndefined();
      expect(await openLink(start.link())).toBeDefined();
      const names = namesIn(paste(start.commands().read));
      expect(names).toContain("old-checkout");
      expect(names).not.toContain("new-header");

      await start.stop("SIGTERM");
      await expect.poll(() => openPorts(ports), { timeout: 20_000 }).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each([
    ["npm", ["npm", "start"]],
    ["its own process", undefined],
  ] as const)(
    "leaves no process behind when %s is killed",
    async (_killed, command) => {
      const start = await startHere({}, command);
      await start.stop("SIGKILL");
      await expect.poll(() => openPorts(ports), { timeout: 20_000 }).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "stops the flag-management service and fails when the proxy cannot start",
    async () => {
      last = startQuickstart({ ...ports, DATA_DIR: directory, FLAGS_FETCH_INTERVAL: "soon" });

      expect(await last.exited()).toBe(1);
      expect(last.output()).toContain("FLAGS_FETCH_INTERVAL");
      expect(last.output()).toContain("The proxy exited (exit code");
      expect(await openPorts(ports)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each([
    ["flag-management service", "local-admin.mjs"],
    ["proxy", "proxy-with-page.mjs"],
  ])(
    "stops everything and fails when the %s is killed",
    async (name, script) => {
      const start = await startHere();
      process.kill(findPid(start, script), "SIGKILL");

      expect(await start.exited()).toBe(1);
      expect(start.output()).toContain(`The ${name} exited (SIGKILL), so the quickstart stops.\n`);
      expect(await openPorts(ports)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it.each(["ADMIN_PORT", "PORT"])("names %s when that port is in use", async (name) => {
    const blocker = createServer().listen(0, "127.0.0.1");
    await once(blocker, "listening");
    const { port } = blocker.address() as AddressInfo;
    last = startQuickstart({ ...ports, DATA_DIR: directory, [name]: String(port) });

    expect(await last.exited()).toBe(1);
    expect(last.output()).toBe(`Port ${port} is in use: choose another with ${name}.\n`);
    blocker.close();
  });

  it("sends nothing to another service that takes its port while it starts", async () => {
    last = startQuickstart({ ...ports, DATA_DIR: directory });
    await last.printed("Starting the flag-management service");
    const requests: string[] = [];
    const other = createHttpServer(({ method, url }, response) => {
      requests.push(`${method} ${url}`);
      response.end("{}");
    }).listen(Number(ports.ADMIN_PORT), "127.0.0.1");
    await once(other, "listening");

    expect(await last.exited()).toBe(1);
    expect(last.output()).toContain("The flag-management service exited");
    expect(requests).toEqual([]);
    other.close();
  });

  it("names all ports that cannot be used", async () => {
    const blockers = [createServer(), createServer()];
    await Promise.all(blockers.map((each) => once(each.listen(0, "127.0.0.1"), "listening")));
    const [adminPort = "", port = ""] = blockers.map((each) =>
      String((each.address() as AddressInfo).port),
    );
    last = startQuickstart({ DATA_DIR: directory, ADMIN_PORT: adminPort, PORT: port });
    expect(await last.exited()).toBe(1);
    expect(last.output()).toBe(
      `Port ${adminPort} is in use: choose another with ADMIN_PORT.\nPort ${port} is in use: choose another with PORT.\n`,
    );
    for (const each of blockers) each.close();
  });

  it("prints its usage, and rejects unknown arguments", async () => {
    const script = "scripts/start.mjs";
    last = startQuickstart({}, [process.execPath, script, "--help"]);
    expect(await last.exited()).toBe(0);
    expect(last.output()).toMatch(/^Usage: npm start\n[^]* ADMIN_PORT [^]* PORT [^]* DATA_DIR /);

    last = startQuickstart({}, [process.execPath, script, "--port=4000"]);
    expect(await last.exited()).toBe(2);
    expect(last.output()).toMatch(/^Unknown argument --port=4000: .*\n$/);
  });

  it.each(["0", "abc", "65536"])("explains that it cannot use the port %s", async (port) => {
    last = startQuickstart({ ...ports, DATA_DIR: directory, PORT: port });

    expect(await last.exited()).toBe(1);
    expect(last.output()).toBe(
      `Port ${port} cannot be used (it must be a whole number from 1 to 65535): choose another with PORT.\n`,
    );
  });

  it("refuses to use one port for both services", async () => {
    last = startQuickstart({ ...ports, DATA_DIR: directory, PORT: ports.ADMIN_PORT });

    expect(await last.exited()).toBe(1);
    expect(last.output()).toBe("ADMIN_PORT and PORT must differ.\n");
  });

  it.each(["0.0.0.0", "192.168.1.5", "::"])("refuses to listen on %s", async (host) => {
    last = startQuickstart({ ...ports, DATA_DIR: directory, HOST: host });

    expect(await last.exited()).toBe(1);
    expect(last.output()).toContain(`HOST=${host}: the quickstart listens on 127.0.0.1 only`);
  });

  it(
    "generates tokens for this installation, which only its owner can read",
    async () => {
      const { mode } = await stat(join(directory, KEYS_FILE));
      expect(mode & 0o777).toBe(0o600);
      const keys = JSON.parse(await readFile(join(directory, KEYS_FILE), "utf8")) as object;
      expect(keys).toEqual({
        adminToken: expect.stringMatching(/^\*:\*\.[\da-f]{32}$/),
        proxyToken: expect.stringMatching(/^\*:development\.[\da-f]{32}$/),
        clientKey: "demo-web-key",
      });

      const start = await startHere();
      const { admin, backend } = start.tokens();
      expect(keys).toMatchObject({ adminToken: admin, proxyToken: backend });
      expect((await requestAdmin("/projects", { token: admin })).status).toBe(200);
      expect(await definitionStatuses(backend)).toEqual([200, 200]);
      expect((await requestAdmin("/projects", { token: PUBLISHED.admin })).status).toBe(401);
      expect(await definitionStatuses(PUBLISHED.backend)).toEqual([401, 401]);
    },
    TIMEOUT_MS,
  );

  it(
    "revokes the published tokens of an earlier version",
    async () => {
      // Creates them, as earlier versions did.
      const published = {
        INIT_ADMIN_API_TOKENS: PUBLISHED.admin,
        INIT_CLIENT_API_TOKENS: PUBLISHED.backend,
      };
      for (const [environment, isRevoked] of [
        [published, true],
        [published, false],
        [{}, false],
      ] as const) {
        const start = await startHere(environment);
        expect((await requestAdmin("/projects", { token: PUBLISHED.admin })).status).toBe(401);
        expect((await definitionStatuses(PUBLISHED.backend))[0]).toBe(401);
        expect(start.output().includes("Revoked 2 tokens")).toBe(isRevoked);
        await start.stop("SIGTERM");
      }
    },
    2 * TIMEOUT_MS,
  );

  it(
    "accepts the keys of an earlier version, and the key of the documentation",
    async () => {
      const keys = {
        adminToken: "*:*.of-an-earlier-version",
        proxyToken: "*:development.of-an-earlier-version",
        clientKey: "client-of-an-earlier-version",
      };
      const current = await readFile(join(directory, KEYS_FILE), "utf8");
      await writeFile(join(directory, KEYS_FILE), JSON.stringify(keys));
      // Some shells set HOST to the name of the machine.
      const start = await startHere({ HOST: "name-of-the-machine" });

      expect(start.commands().turnOn).toContain(keys.adminToken);
      expect((await requestAdmin("/projects", { token: keys.adminToken })).status).toBe(200);
      for (const key of [keys.clientKey, "demo-web-key"]) {
        const response = await fetch(`http://127.0.0.1:${ports.PORT}/proxy`, {
          headers: { authorization: key },
        });
        expect(response.status).toBe(200);
      }
      await start.stop("SIGTERM");
      await writeFile(join(directory, KEYS_FILE), current);
    },
    TIMEOUT_MS,
  );

  it(
    "serves the console, the admin API and the page to this machine only, and explains an expired token",
    async () => {
      const start = await startHere({ ALLOWED_HOSTS: "flags.test" });
      const { admin } = start.tokens();
      for (const [host, status] of [
        ["localhost", 200],
        ["host.docker.internal", 200],
        ["flags.test", 200],
        ["evil.test", 421],
      ] as const) {
        for (const [name, path] of [
          ["ADMIN_PORT", "/api/admin/projects"],
          ["ADMIN_PORT", "/"],
          ["PORT", "/"],
          ["PORT", "/quickstart/flags"],
          ["PORT", "/internal-backstage/metrics"],
        ] as const) {
          const headers = { host: `${host}:${ports[name]}`, authorization: admin };
          expect([host, path, await statusFor(ports[name], path, headers)]).toEqual([
            host,
            path,
            status,
          ]);
        }
      }
      expect(await preflight()).toBeNull();

      await expireToken(admin);
      expect(await start.stop("SIGINT")).toBe(0);
      last = startQuickstart({ ...ports, DATA_DIR: directory });
      expect(await last.exited()).toBe(1);
      expect(last.output()).toContain(`To start over with new demo flags, delete ${directory}.`);
    },
    TIMEOUT_MS,
  );
});

async function startHere(
  environment: Readonly<Record<string, string>> = {},
  command?: readonly [string, ...string[]],
): Promise<Quickstart> {
  last = startQuickstart({ ...ports, DATA_DIR: directory, ...environment }, command);
  await last.ready();
  return last;
}

/** Requests the definitions from the service and from the proxy. */
/** Opens a link to the console. Returns the cookie of the session; undefined if the link signs nobody in. */
async function openLink(link: string): Promise<string | undefined> {
  const response = await fetch(link, { redirect: "manual" });
  expect(response.status).toBe(302);
  return response.headers.getSetCookie()[0]?.split(";", 1)[0];
}

function definitionStatuses(authorization: string): Promise<readonly number[]> {
  const requests = [ports.ADMIN_PORT, ports.PORT].map(async (port) => {
    const url = `http://127.0.0.1:${port}/api/client/features`;
    return (await fetch(url, { headers: { authorization } })).status;
  });
  return Promise.all(requests);
}

function requestAdmin(
  path: string,
  { token = last?.tokens().admin ?? "", method = "GET", body }: AdminRequest = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${ports.ADMIN_PORT}/api/admin${path}`, {
    method,
    headers: { authorization: token, ...(body && { "content-type": "application/json" }) },
    ...(body && { body: JSON.stringify(body) }),
  });
}

interface AdminRequest {
  readonly token?: string;
  readonly method?: string;
  readonly body?: object;
}

/** Sends a request that names a host, as in a DNS rebinding attack. */
function statusFor(
  port: string,
  path: string,
  headers: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get({ host: "127.0.0.1", port, path, headers: { ...headers } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on("error", reject);
  });
}

/** Another site cannot send the token: the browser sends a preflight request first, which fails. */
async function preflight(): Promise<string | null> {
  const response = await fetch(`http://127.0.0.1:${ports.ADMIN_PORT}/api/admin/projects`, {
    method: "OPTIONS",
    headers: {
      origin: "https://evil.test",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization",
    },
  });
  return response.headers.get("access-control-allow-origin");
}

/** Resolves to the first flags that the proxy serves. */
function requestFlagsUntilServed(): Promise<string> {
  const headers = { authorization: "demo-web-key" };
  return vi.waitFor(
    async () => {
      const response = await fetch(`http://127.0.0.1:${ports.PORT}/proxy?country=NO`, { headers });
      if (!response.ok) throw new Error(`The proxy responded with ${response.status}`);
      return response.text();
    },
    { timeout: START_TIMEOUT_MS, interval: 20 },
  );
}

/** Archives a flag and deletes it. */
async function deleteFlag(name: string): Promise<void> {
  for (const word of ["archive", "delete"]) {
    const path = `/projects/default/${word}`;
    const response = await requestAdmin(path, { method: "POST", body: { features: [name] } });
    expect(response.ok).toBe(true);
  }
}

async function expireToken(token: string): Promise<void> {
  const path = `/api-tokens/${encodeURIComponent(token)}`;
  const body = { expiresAt: "2026-01-01T00:00:00Z" };
  expect((await requestAdmin(path, { method: "PUT", body })).ok).toBe(true);
}

function namesIn(body: string): readonly string[] {
  const { toggles } = JSON.parse(body) as { toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}
