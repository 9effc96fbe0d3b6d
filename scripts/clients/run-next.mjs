import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { runCommand, startCommand } from "./command.mjs";
import { requireResult } from "./result.mjs";
import { openPage } from "./run-page.mjs";

const START_TIMEOUT_MS = 30_000;

/** The production build needs no flags. */
export async function buildNext(directory) {
  const env = nextEnvironment(process.env);
  await runCommand(nextCommand(directory, "build"), { cwd: directory, env, timeoutSeconds: 300 });
}

/** Resolves to the milliseconds to the first rendered page. */
export async function runNext(directory, { browser, variant, port, env }) {
  const argv = nextCommand(directory, "start", "-H", "127.0.0.1", "-p", String(port));
  const program = startCommand(argv, { cwd: directory, env: nextEnvironment(env) });
  const url = `http://127.0.0.1:${port}`;
  try {
    // The HTML of the server already contains the flags, evaluated by the proxy and by Next.js.
    requireResult(await readWhenReady(program, `${url}/`), variant);
    requireResult(await readWhenReady(program, `${url}/definitions`), variant);
    return await openPage(`${url}/`, { browser, variant });
  } finally {
    await program.stop();
  }
}

async function readWhenReady(program, url) {
  while (program.elapsedMs() < START_TIMEOUT_MS) {
    const response = await fetch(url).catch(() => undefined);
    if (response?.ok) return response.text();
    if (response) throw new Error(`${url}: ${response.status}\n${program.output()}`);
    await sleep(100);
  }
  throw new Error(`next start did not open its port:\n${program.output()}`);
}

/** Without npx, which would exit on a signal without forwarding it. */
function nextCommand(directory, ...args) {
  return [
    process.execPath,
    join(directory, "..", "node_modules", "next", "dist", "bin", "next"),
    ...args,
  ];
}

function nextEnvironment(env) {
  return { ...env, NEXT_TELEMETRY_DISABLED: "1" };
}
