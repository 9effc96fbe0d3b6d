import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

/** How large the published bundles may become, compressed, in kB. Raise a limit only for something that is worth it. */
const MAX_KB = {
  "packages/proxy/dist/bundle/flags-proxy.js": 1300,
  "packages/admin/dist/bundle/flags-admin.js": 1000,
  "packages/server-kit/dist/bundle/telemetry.js": 250,
};

test.each(Object.entries(MAX_KB))("%s has at most %i kB", (file, maxKb) => {
  const bytes = gzipSync(readFileSync(new URL(`../${file}`, import.meta.url))).length;
  const kb = Math.round(bytes / 1000);
  console.log(`${file}: ${kb} kB compressed`);
  expect(kb).toBeGreaterThan(50);
  expect(kb).toBeLessThanOrEqual(maxKb);
});
