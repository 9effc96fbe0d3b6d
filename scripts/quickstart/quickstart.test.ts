import { once } from "node:events";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  findProgram,
  freePorts,
  openPorts,
  paste,
  type Ports,
  startQuickstart,
  START_TIMEOUT_MS,
  type Quickstart,
} from "./_quickstart.ts";

const READY = "Press Ctrl-C to stop both";
const TIMEOUT_MS = 2 * START_TIMEOUT_MS;

interface Keys {
  readonly adminToken: string;
}

let directory: string;
let ports: Ports;
let last: Quickstart | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-quickstart-"));
  ports = await freePorts();
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

afterEach(async () => {
  await last?.stop("SIGTERM");
}, START_TIMEOUT_MS);

/** These tests share one database and run in order. */
describe("npm start", () => {
  it(
    "creates demo flags and prints commands that read and switch them",
    async () => {
      const start = await startHere();
      const [requestPro = "", switchOn = "", request = "", switchOff = "", ...more] =
        start.commands();
      expect(more).toEqual([]);
      expect(start.output()).toContain("[admin] ");
      expect(start.output()).toContain("[proxy] ");

      expect(namesIn(paste(requestPro))).toEqual(
        expect.arrayContaining(["new-header", "export-to-pdf", "button-colour"]),
      );
      expect(namesIn(paste(request))).not.toContain("old-checkout");
      paste(switchOn);
      await expect.poll(() => namesIn(paste(request)), { timeout: 5000 }).toContain("old-checkout");
      paste(switchOff);
      await expect
        .poll(() => namesIn(paste(request)), { timeout: 5000 })
        .not.toContain("old-checkout");

      const mode = (await stat(keysFile())).mode;
      if (process.platform !== "win32") expect((mode & 0o777).toString(8)).toBe("600");
      // For the next test.
      paste(switchOn);
      await deleteFlag("new-header");

      expect(await start.stop("SIGINT")).toBe(0);
      expect(await openPorts(ports)).toEqual([]);
    },
    TIMEOUT_MS,
  );

  it(
    "keeps keys, changes and deletions for the next start, and exits together with npm",
    async () => {
      const before = await readFile(keysFile(), "utf8");
      const start = await startHere({}, ["npm", "start"]);
      expect(await readFile(keysFile(), "utf8")).toBe(before);
      expect(start.output()).not.toContain("demo flags");

      const names = namesIn(paste(start.commands()[0] ?? ""));
      expect(names).toContain("old-checkout");
      expect(names).not.toContain("new-header");

      await start.stop("SIGTERM");
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
    ["flag-management service", "flags-admin.js"],
    ["proxy", "proxy-with-page.mjs"],
  ])(
    "stops everything and fails when the %s is killed",
    async (name, script) => {
      const start = await startHere();
      process.kill(findProgram(start, script), "SIGKILL");

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

  it(
    "explains what to do when its key has expired",
    async () => {
      const start = await startHere();
      await expireKey();
      expect(await start.stop("SIGINT")).toBe(0);
      last = startQuickstart({ ...ports, DATA_DIR: directory });

      expect(await last.exited()).toBe(1);
      expect(last.output()).toContain("Delete quickstart-keys.json in the data directory");
      await rm(keysFile());
      await startHere();
    },
    TIMEOUT_MS,
  );
});

async function startHere(
  environment: Readonly<Record<string, string>> = {},
  command?: readonly [string, ...string[]],
): Promise<Quickstart> {
  last = startQuickstart({ ...ports, DATA_DIR: directory, ...environment }, command);
  await last.printed(READY);
  return last;
}

function keysFile(): string {
  return join(directory, "quickstart-keys.json");
}

/** Archives a flag and deletes it. */
async function deleteFlag(name: string): Promise<void> {
  const { adminToken } = JSON.parse(await readFile(keysFile(), "utf8")) as Keys;
  const project = `http://127.0.0.1:${ports.ADMIN_PORT}/api/admin/projects/default`;
  for (const word of ["archive", "delete"]) {
    const response = await fetch(`${project}/${word}`, {
      method: "POST",
      headers: { authorization: adminToken, "content-type": "application/json" },
      body: JSON.stringify({ features: [name] }),
    });
    expect(response.ok).toBe(true);
  }
}

async function expireKey(): Promise<void> {
  const { adminToken } = JSON.parse(await readFile(keysFile(), "utf8")) as Keys;
  const tokens = `http://127.0.0.1:${ports.ADMIN_PORT}/api/admin/api-tokens`;
  const response = await fetch(`${tokens}/${encodeURIComponent(adminToken)}`, {
    method: "PUT",
    headers: { authorization: adminToken, "content-type": "application/json" },
    body: JSON.stringify({ expiresAt: "2026-01-01T00:00:00Z" }),
  });
  expect(response.ok).toBe(true);
}

function namesIn(body: string): readonly string[] {
  const { toggles } = JSON.parse(body) as { toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}
