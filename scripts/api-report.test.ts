import { expect, test } from "vitest";
import { describeApi } from "./api-report.ts";

/** The published packages for users. `flags-server-kit` is only for the services. */
const PACKAGES = ["engine", "sdk", "proxy", "admin", "stream-client"];

// After an intended change of an export, `npm run build && npm test -- scripts/api-report.test.ts -u` records it.
test.each(PACKAGES)("the exports of %s are those of its api.txt", async (name) => {
  const directory = new URL(`../packages/${name}/`, import.meta.url);
  const api = describeApi(new URL("dist/index.d.ts", directory));
  expect(api).toMatch(/^export /);
  await expect(api).toMatchFileSnapshot(new URL("api.txt", directory).pathname);
});
