import { join } from "node:path";
import { preview } from "vite";
import { runCommand } from "./command.mjs";
import { requireResult } from "./result.mjs";

const TIMEOUT_MS = 30_000;

/** Builds a page with Vite, as a user does, and opens it. Resolves to the milliseconds to the result. */
export async function runPage(directory, { browser, variant, port, env }) {
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
export async function openPage(url, { browser, variant }) {
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
        timeout: TIMEOUT_MS,
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
