import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const script = fileURLToPath(new URL("check-pages.mjs", import.meta.url));

test("the pages for clients and runtimes show the examples that run in CI", () => {
  const output = execFileSync(process.execPath, [script], { encoding: "utf8" });
  expect(output).toMatch(/show [1-9]\d* files/);
});
