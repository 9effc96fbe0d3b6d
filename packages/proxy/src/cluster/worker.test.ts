import { FlagReplica } from "./flag-replica.ts";
import { expect, test } from "vitest";
import { createMetrics } from "../metrics/metrics.ts";
import { WorkerKeyVerifier } from "./key-distribution.ts";
import type { ToPrimary, ToWorker } from "./messages.ts";
import { followPrimary } from "./worker.ts";

test("a worker that cannot load flags keeps the previous ones, and continues to receive others", async () => {
  const sent: ToPrimary[] = [];
  const errors: unknown[] = [];
  const handlers = new Map<string, (message: ToWorker) => void>();
  const link = {
    send: async (message: ToPrimary): Promise<void> => void sent.push(message),
    call: async () => undefined,
    handle: (added: object) => {
      for (const [kind, handler] of Object.entries(added)) handlers.set(kind, handler);
    },
  };
  const replica = new FlagReplica({
    strategies: [],
    reportUsage: async () => true,
    registerApplication: async () => {},
  });
  const metrics = createMetrics();
  metrics.registry.getMetricsAsJSON = () => Promise.reject(new Error("broken"));
  followPrimary(link, {
    replicas: [replica],
    metrics,
    verifier: new WorkerKeyVerifier(link),
    logger: { error: (message) => errors.push(message) },
  });
  const update = (revision: string, text: string): void =>
    handlers.get("flags")?.({ kind: "flags", source: 0, revision, text });
  update("1", "{");
  await expect.poll(() => sent).toEqual([{ kind: "loaded", source: 0, revision: "1" }]);
  update("2", '{"version":2,"features":[],"segments":[]}');
  await expect.poll(() => sent[1]).toEqual({ kind: "loaded", source: 0, revision: "2" });
  handlers.get("collect")?.({ kind: "collect" });
  await expect
    .poll(() => errors)
    .toEqual(["Cannot load new flags: the previous ones stay in use", "Cannot collect metrics"]);
});
