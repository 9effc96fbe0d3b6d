import { FlagReplica } from "./flag-replica.ts";
import type { Closable, Logger } from "flags-server-kit";
import { coalesceReadings } from "flags-server-kit/http";
import type { Telemetry } from "flags-server-kit/telemetry";
import type { ProxyConfig } from "../config/config.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { createSources, type SourceFailure } from "../sources.ts";
import { serve } from "../start.ts";
import { WorkerKeyVerifier } from "./key-distribution.ts";
import type { PrimaryLink } from "./primary-link.ts";
import { UsageForwarder } from "./usage-forwarding.ts";

/** Serves the flags of the primary process, on the port that all workers share. */
export async function serveAsWorker(
  config: ProxyConfig,
  link: PrimaryLink,
  telemetry: Telemetry | undefined,
): Promise<Closable> {
  const forwarder = new UsageForwarder(link);
  const replicas: FlagReplica[] = [];
  const failures = new Map<number, SourceFailure>();
  const sources = createSources(config, (source) => {
    const replica = new FlagReplica({
      strategies: config.customStrategies,
      reportUsage: (usage) => forwarder.report(source, usage),
      registerApplication: (registration) => forwarder.register(source, registration),
    });
    replicas.push(replica);
    return replica;
  }).map((source, index) => ({ ...source, lastFailure: () => failures.get(index) }));
  const metrics: Metrics = { ...createMetrics(), read: coalesceReadings(() => scrape(link)) };
  const verifier = new WorkerKeyVerifier(link);
  const { logger } = config;
  followPrimary(link, { replicas, failures, forwarder, metrics, verifier, logger });
  const canListen = link.next("listen");
  await link.send({ kind: "hello" });
  await canListen;

  telemetry?.exportMetrics(metrics);
  const tracer = telemetry?.tracer;
  const proxy = await serve(config, { sources, areOwned: true }, { metrics, tracer, verifier });
  await link.send({ kind: "listening", addresses: proxy.addresses });
  const { app, furtherServers } = proxy;
  const close = async (): Promise<void> => {
    await proxy.close();
    await telemetry?.close();
  };
  return { server: app.server, furtherServers, close };
}

interface WorkerDependencies {
  readonly replicas: readonly FlagReplica[];
  /** The last failures of sources, by their positions. */
  readonly failures: Map<number, SourceFailure>;
  readonly forwarder: UsageForwarder;
  readonly metrics: Metrics;
  readonly verifier: WorkerKeyVerifier;
  readonly logger: Pick<Logger, "error">;
}

/** Handles the messages of the primary process. An error is logged, and does not end the worker. */
export function followPrimary(
  link: Pick<PrimaryLink, "handle" | "send">,
  { replicas, failures, forwarder, metrics, verifier, logger }: WorkerDependencies,
): void {
  link.handle({
    flags: ({ source, ...update }) => {
      void replicas[source]
        ?.prepare(update)
        .catch((error: unknown) =>
          logger.error("Cannot load new flags: the previous ones stay in use", error),
        )
        // NOTE: also after an error, because the primary process sends nothing more until then.
        .then(() => link.send({ kind: "loaded", source, revision: update.revision }));
    },
    publish: ({ source, status }) => replicas[source]?.publish(status),
    unchanged: ({ source, status }) => replicas[source]?.unchanged(status),
    status: ({ source, status, failure }) => {
      replicas[source]?.update(status);
      if (failure !== undefined) failures.set(source, failure);
    },
    decision: (decision) => forwarder.onDecision(decision),
    keys: ({ change }) => verifier.onChange(change),
    verdict: (verdict) => verifier.onVerdict(verdict),
    collect: () => {
      void metrics.registry
        .getMetricsAsJSON()
        .then((values) => link.send({ kind: "collected", metrics: values }))
        .catch((error: unknown) => logger.error("Cannot collect metrics", error));
    },
  });
}

async function scrape(link: PrimaryLink): Promise<string> {
  const reply = link.next("metrics");
  await link.send({ kind: "scrape" });
  const { text } = await reply;
  if (text === undefined) throw new Error("The primary process could not collect the metrics");
  return text;
}
