import { FlagReplica } from "flags-sdk";
import type { Closable } from "flags-server-kit";
import type { ProxyConfig } from "../config/config.ts";
import { createMetrics, type Metrics } from "../metrics/metrics.ts";
import { serve } from "../start.ts";
import type { PrimaryLink } from "./primary-link.ts";
import { UsageOutbox } from "./usage-outbox.ts";

/** Serves with the flags of the primary process, on the port that it shares out. */
export async function serveAsWorker(config: ProxyConfig, link: PrimaryLink): Promise<Closable> {
  const outbox = new UsageOutbox(link);
  const replica = new FlagReplica({
    strategies: config.customStrategies,
    reportUsage: (usage) => outbox.report(usage),
    registerApplication: (registration) => outbox.register(registration),
  });
  const metrics: Metrics = { ...createMetrics(), read: readOnce(() => scrape(link)) };
  followPrimary(link, { replica, outbox, metrics });
  const mayListen = link.next("listen");
  await link.send({ kind: "hello" });
  await mayListen;

  const proxy = await serve(config, replica, { metrics });
  await link.send({ kind: "listening", url: proxy.url });
  return { server: proxy.app.server, close: () => proxy.close() };
}

interface WorkerParts {
  readonly replica: FlagReplica;
  readonly outbox: UsageOutbox;
  readonly metrics: Metrics;
}

function followPrimary(link: PrimaryLink, { replica, outbox, metrics }: WorkerParts): void {
  link.handle({
    flags: (update) => {
      void replica
        .prepare(update)
        .then(() => link.send({ kind: "loaded", revision: update.revision }));
    },
    publish: ({ timestamps }) => replica.publish(timestamps),
    unchanged: ({ timestamps }) => replica.unchanged(timestamps),
    decision: (decision) => outbox.decide(decision),
    collect: () => {
      void metrics.registry
        .getMetricsAsJSON()
        .then((values) => link.send({ kind: "collected", metrics: values }));
    },
  });
}

async function scrape(link: PrimaryLink): Promise<string> {
  const answer = link.next("metrics");
  await link.send({ kind: "scrape" });
  const { text } = await answer;
  if (text === undefined) throw new Error("The primary process could not collect the metrics");
  return text;
}

/** Lets those who ask while a reading is under way have that one. */
function readOnce(read: () => Promise<string>): () => Promise<string> {
  let reading: Promise<string> | undefined;
  return () => {
    reading ??= read().finally(() => (reading = undefined));
    return reading;
  };
}
