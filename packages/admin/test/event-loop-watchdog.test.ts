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
function run(program: string): Promise<Ended> {
  const source = `import { watchEventLoop } from ${JSON.stringify(WATCHDOG)};
    const stop = watchEventLoop({ logger: console, stuckAfterMs: 1000 });
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
  const { signal, stderr } = await run("for (;;);");
  expect(signal).toBe("SIGKILL");
  expect(stderr).toMatch(/^The process served nothing for 1 s, .* is ended\. .*\n$/);
});

test("watchEventLoop() leaves a process alone that works, and does not keep it alive", async () => {
  const ended = await run(`
    const untilMs = Date.now() + 3000;
    const work = () => Date.now() < untilMs ? setTimeout(work, 50) : console.log("done");
    work();`);
  expect(ended).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
});

test("watchEventLoop() does nothing once it is stopped", async () => {
  const ended = await run(`
    stop();
    const untilMs = Date.now() + 3000;
    while (Date.now() < untilMs);
    console.log("done");`);
  expect(ended).toMatchObject({ code: 0, stdout: "done\n", stderr: "" });
});
