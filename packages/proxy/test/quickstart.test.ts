import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const script = join(root, "scripts", "start.mjs");
const sampleFlags = join(root, "examples", "upstream", "flags.json");
const TIMEOUT_MS = 60_000;

let directory: string;
let stopLast: (() => Promise<unknown>) | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "flags-quickstart-"));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

afterEach(async () => {
  await stopLast?.();
});

describe("npm start", () => {
  it(
    "serves the sample flags, follows changes of their file and stops cleanly",
    async () => {
      const flagsFile = join(directory, "flags.json");
      const sample = await readFile(sampleFlags, "utf8");
      await writeFile(flagsFile, sample);
      const ports = await freePorts();
      const start = run({ ...ports, UPSTREAM_FILE: flagsFile, FLAGS_FETCH_INTERVAL: "50" });
      await start.printed("Ctrl-C stops everything");

      const url = `http://127.0.0.1:${ports.PORT}/proxy`;
      expect(start.output()).toContain(`curl -g -H 'Authorization: demo-client-key' '${url}?`);
      expect(await namesOf(`${url}?userId=1&properties[plan]=pro`)).toEqual(
        expect.arrayContaining(["new-header", "export-to-pdf", "button-colour"]),
      );
      expect(await namesOf(url)).not.toContain("old-checkout");

      await writeFile(flagsFile, sample.replaceAll('"enabled": false', '"enabled": true'));
      await expect.poll(() => namesOf(url), { timeout: 10_000 }).toContain("old-checkout");

      expect(await start.stop("SIGINT")).toBe(0);
      expect(await isOpen(ports.PORT)).toBe(false);
      expect(await isOpen(ports.UPSTREAM_PORT)).toBe(false);
    },
    TIMEOUT_MS,
  );

  it(
    "leaves nothing behind when npm is ended instead",
    async () => {
      const ports = await freePorts();
      const start = run(ports, ["npm", "start"]);
      await start.printed("Ctrl-C stops everything");

      await start.stop("SIGTERM");
      await expect.poll(() => isOpen(ports.PORT), { timeout: 10_000 }).toBe(false);
      await expect.poll(() => isOpen(ports.UPSTREAM_PORT), { timeout: 10_000 }).toBe(false);
    },
    TIMEOUT_MS,
  );

  it(
    "names the variable to set when a port is taken",
    async () => {
      const blocker = createServer().listen(0, "127.0.0.1");
      await once(blocker, "listening");
      const { port } = blocker.address() as AddressInfo;
      const start = run({ ...(await freePorts()), PORT: String(port) });

      expect(await start.exited()).toBe(1);
      expect(start.output()).toContain(`Port ${port} is taken: choose another one with PORT.`);
      blocker.close();
    },
    TIMEOUT_MS,
  );

  it(
    "stops the upstream and fails when the proxy ends",
    async () => {
      const ports = await freePorts();
      const start = run({ ...ports, FLAGS_FETCH_INTERVAL: "soon" });

      expect(await start.exited()).toBe(1);
      expect(start.output()).toContain("FLAGS_FETCH_INTERVAL");
      expect(start.output()).toContain("The proxy ended");
      expect(await isOpen(ports.UPSTREAM_PORT)).toBe(false);
    },
    TIMEOUT_MS,
  );
});

function run(
  environment: Readonly<Record<string, string>>,
  [program, ...args]: readonly [string, ...string[]] = [process.execPath, script],
) {
  const child = spawn(program, args, { cwd: root, env: { ...process.env, ...environment } });
  const exit = once(child, "exit").then(([code]) => code as number | null);
  let text = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      text += chunk.toString();
    });
  }
  const stop = (signal: NodeJS.Signals) => {
    child.kill(signal);
    return exit;
  };
  stopLast = () => stop("SIGTERM");
  return {
    output: () => text,
    exited: () => exit,
    printed: (sentence: string) =>
      expect.poll(() => text, { timeout: TIMEOUT_MS }).toContain(sentence),
    stop,
  };
}

async function freePorts() {
  const servers = [createServer(), createServer()];
  const ports = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, "127.0.0.1"), "listening");
      return String((server.address() as AddressInfo).port);
    }),
  );
  for (const server of servers) server.close();
  return { PORT: ports[0] ?? "", UPSTREAM_PORT: ports[1] ?? "" };
}

async function isOpen(port: string): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/`).then(
    () => true,
    () => false,
  );
}

async function namesOf(url: string): Promise<readonly string[]> {
  const response = await fetch(url, { headers: { authorization: "demo-client-key" } });
  const { toggles } = (await response.json()) as { toggles: readonly { name: string }[] };
  return toggles.map(({ name }) => name);
}
