import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { Logger } from "flags-server-kit/neutral";
import type { RunningServer } from "flags-server-kit";
import type { Telemetry } from "flags-server-kit/telemetry";
import type { ProxyConfig } from "../config/config.ts";
import { startKeyVerifier } from "../start/create-access-control.ts";
import { createConfiguredSources } from "../start/choose-sources.ts";
import { logSourceEvents } from "../start/log-source-events.ts";
import { listPorts } from "../config/list-ports.ts";
import { closeSources, sendUsageBefore, startSources } from "../sources/sources.ts";
import { createMetrics } from "../metrics/metrics.ts";
import { observeSources } from "../metrics/source-metrics.ts";
import type { UpstreamKeyVerifier } from "../upstream-keys/upstream-key-verifier.ts";
import { FlagDistribution } from "./flag-distribution.ts";
import { toKeysMessage } from "./key-distribution.ts";
import type { MessageToPrimary, ToPrimary, WorkerPeer } from "./messages.ts";
import { MetricsCollection } from "./metrics-collection.ts";
import { createFunctions, type PrimaryFunctions } from "./primary-functions.ts";
import { SharedLog } from "./shared-log.ts";
import { type WorkerCall, WorkerPool, type WorkerVariables } from "./worker-pool.ts";

/**
 * Serves with several processes that share one port. This one, the primary, serves no requests: it follows the upstream,
 * distributes flags to the workers, forwards their usage, and keeps them running.
 */
export async function serveWithWorkers(
  config: ProxyConfig,
  telemetry: Telemetry | undefined,
  /** What workers are started with, in addition to the environment. */
  { args, variables: others }: WorkerCall,
): Promise<RunningServer> {
  const { logger, upstreamKeys, workers: count, workerTimeoutMs } = config;
  const metrics = createMetrics();
  const { registry } = metrics;
  telemetry?.exportMetrics(metrics);
  const verifier = upstreamKeys && (await startKeyVerifier(config, upstreamKeys, registry));
  const variables = { ...others, ...(await choosePorts(config)), ...config.workerVariables };
  const sources = createConfiguredSources(config, telemetry?.tracer?.beginUpstream);
  observeSources(metrics, sources);
  const distributions = sources.map((source, index) => new FlagDistribution(source, index));
  const collection = new MetricsCollection(registry);
  const flags = sources.map((source) => source.flags);
  const functions = createFunctions(flags, verifier, () => collection.read(pool.workers));
  const log = new SharedLog({ logger, workers: () => pool.workers });
  const onMessage = createHandler({ logger, log, distributions, collection, verifier, functions });
  const onExit = (worker: WorkerPeer): void => {
    for (const distribution of distributions) distribution.leave(worker);
    collection.leave(worker);
    log.leave(worker);
  };
  const pool = new WorkerPool({
    count,
    args,
    variables,
    workerTimeoutMs,
    logger,
    registry,
    onMessage,
    onExit,
  });
  verifier?.follow((change) => {
    const message = toKeysMessage(change);
    for (const worker of pool.workers) worker.send(message);
  });
  logSourceEvents(sources, logger);
  await startSources(sources);
  const address = await pool.start();
  /** Stops the workers, which still serve requests for `delayMs`, then sends their last usage upstream. */
  const close = async (delayMs: number): Promise<void> => {
    sendUsageBefore(delayMs, sources);
    await pool.stop(delayMs);
    await Promise.all([closeSources(sources), verifier?.close()]);
    await telemetry?.close();
  };
  return { server: undefined, address, close };
}

/**
 * Returns the ports of the workers as environment variables.
 *
 * NOTE: if the system chose a port for the workers, it would be lost when no worker is left.
 */
async function choosePorts(config: ProxyConfig): Promise<WorkerVariables> {
  const chosen: Record<string, string> = {};
  for (const { port, host, variables } of listPorts(config)) {
    // oxlint-disable-next-line no-await-in-loop -- at most three
    chosen[variables.port] = String(port === 0 ? await findFreePort(host) : port);
  }
  return chosen;
}

async function findFreePort(host: string | undefined): Promise<number> {
  const server = createServer().listen({ port: 0, host: host ?? "" });
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

interface HandlerDependencies {
  readonly logger: Pick<Logger, "error">;
  readonly log: SharedLog;
  readonly distributions: readonly FlagDistribution[];
  readonly collection: MetricsCollection;
  readonly verifier: UpstreamKeyVerifier | undefined;
  readonly functions: PrimaryFunctions;
}

function createHandler({
  logger,
  log,
  distributions,
  collection,
  verifier,
  functions,
}: HandlerDependencies): (worker: WorkerPeer, message: ToPrimary) => void {
  /** Lets a worker listen as soon as it has the flags of the others. */
  const join = async (worker: WorkerPeer): Promise<void> => {
    await Promise.all(distributions.map((distribution) => distribution.join(worker)));
    worker.send({ kind: "listen" });
  };
  const call = async (
    worker: WorkerPeer,
    { id, name, args }: MessageToPrimary<"call">,
  ): Promise<void> => {
    const run = functions[name] as (...values: readonly unknown[]) => unknown;
    let result: unknown;
    try {
      result = await run(...args);
    } catch (error) {
      logger.error(`Cannot answer ${worker.name}: ${name} failed`, error);
    }
    // NOTE: a change of the keys that it caused has been sent before, on the same channel.
    worker.send({ kind: "result", id, result });
  };
  return (worker, message) => {
    if (message.kind === "hello") void join(worker);
    else if (message.kind === "call") void call(worker, message);
    else if (message.kind === "collected") collection.accept(worker, message.metrics);
    else if (message.kind === "log") log.report(worker, message);
    else if (message.kind === "loaded") {
      distributions[message.source]?.loaded(worker, message.revision);
    } else if (message.kind === "followKeys" && verifier !== undefined) {
      worker.send(toKeysMessage(verifier.known));
    }
  };
}
