import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const WATCHDOG = new URL("../dist/monitoring/event-loop-watchdog.js", import.meta.url).href;

interface Ended {
  readonly code: unknown;
  readonly signal: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a program that watches its own event loop. */
function run(stuckAfterMs: number, program: string): Promise<Ended> {
  const source = `import { watchEventLoop } from ${JSON.stringify(WATCHDOG)};
    const stop = watchEventLoop({ logger: console, stuckAfterMs: ${stuckAfterMs} });
    ${program}`;
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  return new Promise((resolve) => {
    const args = ["--input-type=module", "--eval", source];
    execFile(process.execPath, args, { cwd }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, signal: error?.signal, stdout, stderr });
    });
  });
}

test("watchEventLoop() ends a process whose main thread does not return", async () => {
  const { signal, stderr } = await run(1000, "for (;;);");
  expect(signal).toBe("SIGKILL");
  expect(stderr).toMatch(/^The process ends because it has not served requests for 1 s, .*\n$/);
});

test("watchEventLoop() does not keep a process alive", async () => {
  const ended = await run(60_000, 'setTimeout(() => console.log("done"), 50);');
  expect(ended).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
});

test("watchEventLoop() does nothing after it is stopped", async () => {
  const ended = await run(
    500,
    `stop();
    const untilMs = Date.now() + 1500;
    while (Date.now() < untilMs);
    console.log("done");`,
  );
  expect(ended).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
});
