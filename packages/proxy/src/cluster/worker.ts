import type { Closable } from "flags-server-kit";
import { coalesceReadings, type Logger } from "flags-server-kit/neutral";
import type { Telemetry } from "flags-server-kit/telemetry";
import type { ProxyConfig } from "../config/config.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { createSources } from "../sources/sources.ts";
import { serve } from "../start/start.ts";
import { FlagReplica } from "./flag-replica.ts";
import { WorkerKeyVerifier } from "./key-distribution.ts";
import type { PrimaryLink } from "./primary-link.ts";
import { createSharedLogger } from "./shared-log.ts";
import { createForwarding } from "./usage-forwarding.ts";

/** Serves the flags of the primary process, on the port that all workers share. */
export async function serveAsWorker(
  config: ProxyConfig,
  link: PrimaryLink,
  telemetry: Telemetry | undefined,
): Promise<Closable> {
  const forwardingOf = createForwarding(link);
  const replicas: FlagReplica[] = [];
  const sources = createSources(config, (source) => {
    const { customStrategies: strategies } = config;
    const replica = new FlagReplica({ strategies, ...forwardingOf(source) });
    replicas.push(replica);
    return replica;
  }).map((source, index) => ({ ...source, lastFailure: () => replicas[index]?.failure }));
  const metrics: Metrics = { ...createMetrics(), read: coalesceReadings(() => scrape(link)) };
  const verifier = new WorkerKeyVerifier(link);
  const { logger } = config;
  followPrimary(link, { replicas, metrics, verifier, logger });
  const canListen = link.next("listen");
  await link.send({ kind: "hello" });
  await canListen;

  telemetry?.exportMetrics(metrics);
  const tracer = telemetry?.tracer;
  const proxy = await serve(
    { ...config, sharedLogger: createSharedLogger(link) },
    { sources, areOwned: true },
    { metrics, tracer, verifier },
  );
  await link.send({ kind: "listening", addresses: proxy.addresses });
  const { server, furtherServers } = proxy;
  const close = async (): Promise<void> => {
    await proxy.close();
    await telemetry?.close();
  };
  return { server, furtherServers, close };
}

interface WorkerDependencies {
  readonly replicas: readonly FlagReplica[];
  readonly metrics: Metrics;
  readonly verifier: WorkerKeyVerifier;
  readonly logger: Pick<Logger, "error">;
}

export function followPrimary(
  link: Pick<PrimaryLink, "handle" | "send">,
  { replicas, metrics, verifier, logger }: WorkerDependencies,
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
    status: ({ source, status, event }) => replicas[source]?.update(status, event),
    keys: ({ change }) => verifier.onChange(change),
    collect: () => {
      void metrics.registry
        .getMetricsAsJSON()
        .then((values) => link.send({ kind: "collected", metrics: values }))
        .catch((error: unknown) => logger.error("Cannot collect metrics", error));
    },
  });
}

async function scrape(link: PrimaryLink): Promise<string> {
  const text = await link.call("readMetrics");
  if (text === undefined) throw new Error("The primary process could not collect the metrics");
  return text;
}
