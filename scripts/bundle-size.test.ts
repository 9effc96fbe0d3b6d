import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundleForWorkers } from "./bundle/bundle-for-workers.mjs";

/** How large the published bundles may become, compressed, in kB. Raise a limit only for something that is worth it. */
const MAX_KB = {
  "packages/proxy/dist/bundle/flags-proxy.js": 1300,
  "packages/proxy/dist/s3-bundle/s3-store.js": 350,
  "packages/admin/dist/bundle/flags-admin.js": 1000,
  "packages/server-kit/dist/bundle/telemetry.js": 250,
};

/** Users get at most 200 kB: their tools bundle with esbuild, whose result is 7% larger than that of our bundler. */
const MAX_WORKERS_KB = 185;

test.each(Object.entries(MAX_KB))("%s has at most %i kB", (file, maxKb) => {
  const kb = toCompressedKb(readFileSync(new URL(`../${file}`, import.meta.url)));
  console.log(`${file}: ${kb} kB compressed`);
  expect(kb).toBeGreaterThan(50);
  expect(kb).toBeLessThanOrEqual(maxKb);
});

test("flags-proxy/fetch has at most 200 kB in a bundle for Workers, and needs only node:crypto", async () => {
  const entry = fileURLToPath(new URL("../packages/proxy/dist/fetch/index.js", import.meta.url));
  const code = await bundleForWorkers(entry);
  const kb = toCompressedKb(code);
  console.log(`flags-proxy/fetch: ${kb} kB compressed`);
  expect(kb).toBeGreaterThan(50);
  expect(kb).toBeLessThanOrEqual(MAX_WORKERS_KB);
  const modules = [...code.matchAll(/\bfrom\s*["']([^"']+)["']/g)].map(([, name]) => name);
  expect([...new Set(modules)]).toEqual(["node:crypto"]);
  expect(code).not.toMatch(/\bimport\s*\(|\brequire\s*\(/);
});

const CONSOLE = new URL("../packages/admin/dist/console/", import.meta.url);
/** What browsers load before they show the sign-in page, and then the list of flags. */
const MAX_FIRST_VISIT_BYTES = 200_000;
/** All pages and dialogs of the console. */
const MAX_CONSOLE_BYTES = 350_000;

test("the console has at most 200 kB of script for a first visit, and 350 kB in total", () => {
  const page = readFileSync(new URL("index.html", CONSOLE), "utf8");
  const all = readdirSync(new URL("assets", CONSOLE)).filter((name) => name.endsWith(".js"));
  const first = all.filter((name) => page.includes(name));
  const sizes = {
    first: { br: sumSizes(first, ".br"), gz: sumSizes(first, ".gz") },
    all: { br: sumSizes(all, ".br"), gz: sumSizes(all, ".gz") },
  };
  console.log("Script of the console, in bytes:", JSON.stringify(sizes));
  expect(sizes.first.br).toBeGreaterThan(100_000);
  // What browsers get over secure connections. Over others they get gzip, which is a sixth larger.
  expect(sizes.first.br).toBeLessThan(MAX_FIRST_VISIT_BYTES);
  expect(sizes.all.br).toBeLessThan(MAX_CONSOLE_BYTES);
});

/** Returns how many bytes the service sends for these files. */
function sumSizes(names: readonly string[], variant: ".br" | ".gz"): number {
  const sizes = names.map((name) => {
    const compressed = new URL(`assets/${name}${variant}`, CONSOLE);
    // Small files have no compressed variant.
    return statSync(existsSync(compressed) ? compressed : new URL(`assets/${name}`, CONSOLE)).size;
  });
  return sizes.reduce((sum, size) => sum + size, 0);
}

function toCompressedKb(code: Uint8Array | string): number {
  return Math.round(gzipSync(code).length / 1000);
}
