import { type ApplicationRegistration, type ApplicationUsage, FlagReplica } from "flags-sdk";
import type { Closable } from "flags-server-kit";
import type { ProxyConfig } from "../config/config.ts";
import { createMetrics, type Metrics } from "../metrics.ts";
import { serve } from "../start.ts";
import type { MessageToWorker } from "./messages.ts";
import type { PrimaryLink } from "./primary-link.ts";

/** Serves the flags of the primary process, on the port that all workers share. */
export async function serveAsWorker(config: ProxyConfig, link: PrimaryLink): Promise<Closable> {
  const forwarder = new UsageForwarder(link);
  const replica = new FlagReplica({
    strategies: config.customStrategies,
    reportUsage: (usage) => forwarder.report(usage),
    registerApplication: (registration) => forwarder.register(registration),
  });
  const metrics: Metrics = { ...createMetrics(), read: shareCalls(() => scrape(link)) };
  followPrimary(link, { replica, forwarder, metrics });
  const canListen = link.next("listen");
  await link.send({ kind: "hello" });
  await canListen;

  const proxy = await serve(config, replica, { metrics });
  await link.send({ kind: "listening", url: proxy.url });
  return { server: proxy.app.server, close: () => proxy.close() };
}

interface WorkerParts {
  readonly replica: FlagReplica;
  readonly forwarder: UsageForwarder;
  readonly metrics: Metrics;
}

function followPrimary(link: PrimaryLink, { replica, forwarder, metrics }: WorkerParts): void {
  link.handle({
    flags: (update) => {
      void replica
        .prepare(update)
        .then(() => link.send({ kind: "loaded", revision: update.revision }));
    },
    publish: ({ timestamps }) => replica.publish(timestamps),
    unchanged: ({ timestamps }) => replica.unchanged(timestamps),
    decision: (decision) => forwarder.onDecision(decision),
    collect: () => {
      void metrics.registry
        .getMetricsAsJSON()
        .then((values) => link.send({ kind: "collected", metrics: values }));
    },
  });
}

/** Forwards usage to the primary process, which decides whether to accept it. */
export class UsageForwarder {
  readonly #link: Pick<PrimaryLink, "send">;
  readonly #pending = new Map<number, (isAccepted: boolean) => void>();
  #lastId = 0;

  constructor(link: Pick<PrimaryLink, "send">) {
    this.#link = link;
  }

  /** Forwards usage. Resolves to whether the primary process accepted it. */
  report(usage: ApplicationUsage): Promise<boolean> {
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve) => {
      this.#pending.set(id, resolve);
      // For many small objects, JSON takes half the time of a structured clone.
      void this.#link.send({ kind: "usage", id, text: JSON.stringify(usage) });
    });
  }

  /** Forwards a registration. There is no reply. */
  register(registration: ApplicationRegistration): void {
    void this.#link.send({ kind: "registration", registration });
  }

  onDecision({ id, isAccepted }: MessageToWorker<"decision">): void {
    this.#pending.get(id)?.(isAccepted);
    this.#pending.delete(id);
  }
}

async function scrape(link: PrimaryLink): Promise<string> {
  const reply = link.next("metrics");
  await link.send({ kind: "scrape" });
  const { text } = await reply;
  if (text === undefined) throw new Error("The primary process could not collect the metrics");
  return text;
}

/** Makes concurrent calls share one result. */
function shareCalls(read: () => Promise<string>): () => Promise<string> {
  let current: Promise<string> | undefined;
  return () => {
    current ??= read().finally(() => (current = undefined));
    return current;
  };
}
