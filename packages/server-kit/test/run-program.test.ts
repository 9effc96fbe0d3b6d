import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { isComplete } from "../../../scripts/test-size.ts";

const SAMPLE = fileURLToPath(new URL("_sample-program.mjs", import.meta.url));

interface Running {
  readonly child: ChildProcess;
  readonly output: { stdout: string; stderr: string };
  readonly closed: Promise<unknown>;
}

function start(environment: Record<string, string>, args: readonly string[] = []): Running {
  const child = spawn(process.execPath, [SAMPLE, ...args], {
    env: { PORT: "0", ...environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  return { child, output, closed: once(child, "close") };
}

async function finish({ child, output, closed }: Running) {
  await closed;
  return { ...output, code: child.exitCode };
}

async function addressOf({ child, output }: Running): Promise<string> {
  for (;;) {
    const [, address] = /is listening on (http:[^"]+)"/.exec(output.stdout) ?? [];
    if (address !== undefined) return address;
    if (child.stdout !== null) await once(child.stdout, "data");
  }
}

describe("A program prints", () => {
  // `flags-admin` and `flags-proxy` are tested with --version.
  test.each([
    ["--help", 0, /^sample 1\.2\.3\n\nServes as an example\./, /^$/],
    ["--port", 2, /^$/, /^Unknown option --port\. Set the .* PORT instead: see sample --help\n$/],
  ] as const)("A program prints %s, with exit code %d", async (argument, code, stdout, stderr) => {
    const finished = await finish(start({}, [argument]));
    expect(finished.code).toBe(code);
    expect(finished.stdout).toMatch(stdout);
    expect(finished.stderr).toMatch(stderr);
  });
});

describe("A program ends with exit code 1", () => {
  test.each([
    [
      "invalid settings, all of them listed",
      { PORT: "soon", SAMPLE_NAME: "1" },
      /^Cannot use this configuration:\n {2}- PORT must .*"soon"\nNote:\n {2}- SAMPLE_NAME is set.*\n$/,
    ],
    ["a StartError, with one line", { PORT: "1" }, /^Port 1 is reserved: .* with PORT\n$/],
    [
      "an unexpected error, with a stack trace",
      { PORT: "2" },
      /^Cannot start: Error: Unexpected.*\n\s+at /,
    ],
  ] as const)("A program ends with exit code 1 after %s", async (_, environment, stderr) => {
    const finished = await finish(start(environment));
    expect(finished).toMatchObject({ code: 1, stdout: "" });
    expect(finished.stderr).toMatch(stderr);
  });

  test("A program ends with exit code 1 and a stack trace if a subcommand fails unexpectedly", async () => {
    const { code, stderr } = await finish(start({}, ["fail"]));
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The command failed: TypeError: Unexpected\n\s+at /);
  });

  test("A program ends with exit code 1 and one line if a port is taken", async () => {
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    onTestFinished(() => void holder.close());
    const { port } = holder.address() as AddressInfo;
    const { code, stderr } = await finish(start({ PORT: String(port) }));
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^Cannot listen on port \d+ on 127\.0\.0\.1: another program uses the port.*\n$/,
    );
  });

  test("A program ends with exit code 1 after a crash, with a log line that shows no secret", async () => {
    const running = start({});
    await fetch(`${await addressOf(running)}crash`).catch(() => undefined);
    const { code, stdout } = await finish(running);
    expect(code).toBe(1);
    expect(stdout).toContain("Uncaught error, shutting down the sample");
    expect(stdout).toContain("[redacted] error");
    expect(stdout).not.toContain("hidden");
  });
});

test("A program ends with exit code 1 and a log line if the shutdown fails", async () => {
  const running = start({});
  await fetch(`${await addressOf(running)}fail-to-close`);
  running.child.kill("SIGINT");
  const { code, stdout, stderr } = await finish(running);
  expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
  expect(stdout).toContain("The shutdown failed");
  expect(stdout).toContain("[redacted] close error");
});

// Takes 9.75 s.
if (isComplete) {
  test("A program logs that the shutdown takes too long", async () => {
    const running = start({});
    await fetch(`${await addressOf(running)}never-close`);
    running.child.kill("SIGTERM");
    const { code, stdout } = await finish(running);
    expect(code).toBe(1);
    expect(stdout).toContain("The shutdown took longer than 9.75 s");
  });
}

// SIGHUP: the terminal was closed.
test.each(["SIGTERM", "SIGHUP"] as const)(
  "A program serves until %s and then ends with exit code 0",
  async (signal) => {
    const running = start({});
    const response = await fetch(await addressOf(running));
    expect(await response.text()).toBe("here");
    running.child.kill(signal);
    const { code, stdout, stderr } = await finish(running);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({
      level: "info",
      msg: expect.stringMatching(
        /^sample 1\.2\.3 is listening on http:\/\/127\.0\.0\.1:\d+\/$/,
      ) as string,
    });
  },
);

test("A program still serves for the delay after SIGTERM, but not after Ctrl-C", async () => {
  const running = start({ SHUTDOWN_DELAY: "60000", LOG_LEVEL: "info" });
  const address = await addressOf(running);
  running.child.kill("SIGTERM");
  await expect.poll(() => running.output.stdout).toContain("Received SIGTERM");
  expect(await (await fetch(address)).text()).toBe("here");
  // A second signal ends the process at once.
  running.child.kill("SIGTERM");
  expect((await finish(running)).code).toBe(1);

  const other = start({ SHUTDOWN_DELAY: "60000", LOG_LEVEL: "info" });
  await addressOf(other);
  other.child.kill("SIGINT");
  expect((await finish(other)).code).toBe(0);
});
