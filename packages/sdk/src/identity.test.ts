import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generateInstanceId, SDK_VERSION } from "./identity.ts";

it("SDK_VERSION is the version of the package", () => {
  const manifest = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  ) as { version: string };
  expect(SDK_VERSION).toBe(manifest.version);
});

it("generateInstanceId() differs between two clients", () => {
  expect(generateInstanceId()).not.toBe(generateInstanceId());
});
