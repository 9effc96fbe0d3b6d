import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Registry } from "prom-client";
import { expect, onTestFinished, test } from "vitest";
import { proxyConfig } from "../../test/_proxy.ts";
import { createAccessControl } from "./create-access-control.ts";

test("starts no verifier if the access file is invalid, since nobody could close it", async () => {
  const directory = await mkdtemp(join(tmpdir(), "flags-access-"));
  onTestFinished(() => rm(directory, { recursive: true }));
  const accessFile = join(directory, "access.json");
  await writeFile(accessFile, '{ "keys": "none" }');
  const upstreamKeys = { revalidationIntervalMs: 60_000, maxAgeMs: 60_000 };
  const registry = new Registry();
  const config = { ...proxyConfig(), accessFile, upstreamKeys };
  await expect(createAccessControl(config, [], { registry })).rejects.toThrow("keys");
  expect(registry.getMetricsAsArray()).toEqual([]);

  await writeFile(accessFile, '{ "keys": [] }');
  const access = await createAccessControl(config, [], { registry });
  onTestFinished(() => access.close());
  expect(registry.getSingleMetric("flags_proxy_upstream_keys")).toBeDefined();
});
