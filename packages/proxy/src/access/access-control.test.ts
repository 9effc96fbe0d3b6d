import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, onTestFinished, test, vi } from "vitest";
import { AccessControl } from "./access-control.ts";

test("starts no verifier if the access file is invalid, since nobody could close it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "flags-access-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const accessFile = join(directory, "access.json");
  await writeFile(accessFile, '{ "keys": "none" }');
  const log = vi.fn<() => void>();
  const config = {
    clientKeys: [],
    serverTokens: [],
    limitsKeysToProject: false,
    accessFile,
    logger: { debug: log, info: log, warn: log, error: log, fatal: log },
    httpProxy: undefined,
    httpsProxy: undefined,
    noProxy: undefined,
  };
  const startVerifier = vi.fn<() => Promise<never>>();
  const registry = new Registry();
  await expect(AccessControl.open(config, [], { startVerifier, registry })).rejects.toThrow("keys");
  expect(startVerifier).not.toHaveBeenCalled();
});
