import { expect, test } from "vitest";
import { describeApi } from "./api-report.ts";

/** The entries of the published packages for users. `flags-server-kit` is only for the services. */
const ENTRIES = [
  ["engine", "index", "api.txt"],
  ["sdk", "index", "api.txt"],
  ["sdk", "integrations/openfeature-web", "api-openfeature-web.txt"],
  ["sdk", "integrations/vercel", "api-vercel.txt"],
  ["proxy", "index", "api.txt"],
  ["proxy", "fetch/index", "api-fetch.txt"],
  ["admin", "index", "api.txt"],
  ["stream-client", "index", "api.txt"],
] as const;

// After an intended change of an export, `npm run build && npm test -- scripts/api-report.test.ts -u` records it.
test.each(ENTRIES)("the exports of %s, %s, are those of its %s", async (name, entry, report) => {
  const directory = new URL(`../packages/${name}/`, import.meta.url);
  const api = describeApi(new URL(`dist/${entry}.d.ts`, directory));
  expect(api).toMatch(/^export /);
  await expect(api).toMatchFileSnapshot(new URL(report, directory).pathname);
});
