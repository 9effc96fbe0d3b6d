import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateInstanceId } from "./host.ts";
import { SDK_VERSION } from "./identity.ts";

it("SDK_VERSION equals the version in package.json", () => {
  const manifest = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  ) as { version: string };
  expect(SDK_VERSION).toBe(manifest.version);
});

it("generateInstanceId() returns a different id for each client", () => {
  expect(generateInstanceId()).not.toBe(generateInstanceId());
});
