import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { preview } from "vite";
import { runCommand, startCommand } from "./command.mjs";

/** Runs one example. Resolves to the milliseconds to its flags. */
export async function runExample(example, { work, interpreters, pagePort, ...options }) {
  const directory = join(work, example.directory ?? example.name);
  if (example.kind === "program") {
    const [command, ...args] = example.run;
    const argv = [interpreters[command] ?? command, ...args];
    const { env, variant } = options;
    const { timeoutSeconds } = example;
    return runProgram(argv, { cwd: directory, env, variant, timeoutSeconds });
  }
  const run = example.kind === "next" ? runNext : runPage;
  return run(directory, { ...options, port: pagePort });
}

/** Runs a program until it exits. Resolves to the milliseconds from its start to the result. */
async function runProgram(argv, { variant, timeoutSeconds = 60, ...options }) {
  const command = startCommand(argv, options);
  let readyMs;
  command.onOutput(() => {
    try {
      if (readyMs === undefined && hasResult(command.output(), variant))
        readyMs = command.elapsedMs();
    } catch {
      // Reported below, when the program has exited.
    }
  });
  const deadline = setTimeout(() => void command.stop(), timeoutSeconds * 1000);
  const code = await command.exit;
  clearTimeout(deadline);
  requireResult(command.output(), variant);
  if (code !== 0) throw new Error(`It failed with exit code ${code}:\n${command.output()}`);
  return readyMs;
}

const RESULT_TIMEOUT_MS = 30_000;

/** Builds a page with Vite, as a user does, and opens it. Resolves to the milliseconds to the result. */
async function runPage(directory, { browser, variant, port, env }) {
  const vite = join(directory, "..", "node_modules", "vite", "bin", "vite.js");
  await runCommand([process.execPath, vite, "build"], { cwd: directory, env });
  const server = await preview({
    root: directory,
    configFile: false,
    logLevel: "error",
    preview: { host: "127.0.0.1", port, strictPort: true },
    build: { outDir: join(directory, "dist") },
  });
  try {
    return await openPage(`http://127.0.0.1:${port}/`, { browser, variant });
  } finally {
    await server.close();
  }
}

/** Resolves to the milliseconds from the navigation to the result. */
async function openPage(url, { browser, variant }) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    const isFavicon = message.location().url.endsWith("/favicon.ico");
    if (message.type() === "error" && !isFavicon) problems.push(message.text());
  });
  try {
    const started = performance.now();
    await page.goto(url);
    await page
      .waitForFunction(`/button-colour: ${variant}/.test(document.body.textContent)`, undefined, {
        timeout: RESULT_TIMEOUT_MS,
      })
      .catch(() => undefined);
    const readyMs = performance.now() - started;
    requireResult(await page.locator("body").innerText(), variant);
    if (problems.length > 0) throw new Error(`The page reported:\n${problems.join("\n")}`);
    return readyMs;
  } catch (error) {
    throw new Error([error.message, ...problems].join("\n"), { cause: error });
  } finally {
    await page.close();
  }
}

const NEXT_START_TIMEOUT_MS = 30_000;

/** Builds the example for Next.js. Its production build needs no flags. */
export async function buildNext(directory) {
  const env = nextEnvironment(process.env);
  await runCommand(nextCommand(directory, "build"), { cwd: directory, env, timeoutSeconds: 300 });
}

/** Runs the example for Next.js. Resolves to the milliseconds to the first rendered page. */
async function runNext(directory, { browser, variant, port, env }) {
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
  while (program.elapsedMs() < NEXT_START_TIMEOUT_MS) {
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

/** The line that every example prints or shows. Languages differ in how they write `true`. */
const RESULT = /new-header: (\w+), button-colour: (\w+)/;

/** Returns whether the text contains the result. Throws an error if the result is wrong. */
function hasResult(text, variant) {
  const [line, enabled, colour] = RESULT.exec(text) ?? [];
  if (line === undefined) return false;
  if (enabled.toLowerCase() === "true" && colour === variant) return true;
  throw new Error(`The result is "${line}", but new-header is on and the variant is ${variant}`);
}

function requireResult(text, variant) {
  if (!hasResult(text, variant)) throw new Error(`There is no result in:\n${text}`);
}
