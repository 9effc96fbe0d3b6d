import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { bundleForWorkers } from "./bundle/bundle-for-workers.mjs";

/** How large the published bundles may become, compressed, in kB. Raise a limit only for something that is worth it. */
const MAX_KB = {
  "packages/proxy/dist/bundle/flags-proxy.js": 1300,
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

function toCompressedKb(code: Uint8Array | string): number {
  return Math.round(gzipSync(code).length / 1000);
}
