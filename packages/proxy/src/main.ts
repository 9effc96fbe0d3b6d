// The entry point of the bundle, which the programs in bin/ load.

import { type Environment, runCommandLine } from "flags-server-kit/command-line";
import { type RunningServer, runWorker, serveUntilSignal } from "flags-server-kit";
import type { Telemetry } from "flags-server-kit/telemetry";
import { openPrimaryLink } from "./cluster/primary-link.ts";
import type { ProxyConfig } from "./config/config.ts";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./config/program.ts";
import { translate } from "./migrate/translate.ts";
import type { Translation } from "./migrate/translate-environment.ts";
import { SETTINGS_SUBCOMMANDS, SUBCOMMANDS } from "./subcommands.ts";

// NOTE: the server is imported only when it is needed, since loading it takes most of the start time.

/** Runs the command `flags-proxy` with the arguments and the environment of the process. */
export async function runCommand(): Promise<void> {
  await run(async (config, { edge }) => {
    const telemetry = await loadTelemetry(config);
    if (config.workers === 1) return serveInOneProcess(config, telemetry);
    const { serveWithWorkers } = await import("./cluster/primary.ts");
    const call = { args: edge === undefined ? [] : [edge.mode], variables: edge?.variables ?? {} };
    return serveWithWorkers(config, telemetry, call);
  });
}

function load(given: Translation): Promise<ProxyConfig> {
  return loadConfig({}, given.environment, { report: given });
}

/** @param serve serves without a subcommand */
async function run(
  serve: (config: ProxyConfig, given: Translation) => Promise<RunningServer>,
): Promise<void> {
  await runCommandLine(
    PROGRAM,
    {
      subcommands: SUBCOMMANDS,
      serve: (given) => serveUntilSignal(PROGRAM, { loadConfig: load, serve }, given),
    },
    (args, environment) => translate(args, environment, SETTINGS_SUBCOMMANDS),
  );
}

async function serveInOneProcess(
  config: ProxyConfig,
  telemetry: Telemetry | undefined,
): Promise<RunningServer> {
  const { serveWithTelemetry } = await import("./start/start.ts");
  const proxy = await serveWithTelemetry(config, telemetry);
  return {
    server: proxy.server,
    furtherServers: proxy.furtherServers,
    address: proxy.addresses,
    close: () => proxy.close(),
  };
}

/** NOTE: imported only if it is enabled: it would take a third of the start time. */
async function loadTelemetry({
  telemetry: config,
  logger,
  logTap: tap,
  instanceId,
}: ProxyConfig): Promise<Telemetry | undefined> {
  if (config === undefined) return undefined;
  const { startTelemetry } = await import("flags-server-kit/telemetry");
  const { name, version } = PROGRAM;
  return startTelemetry({ config, service: { name, version, instanceId }, logger, tap });
}

interface Hooks {
  /** Awaited before the proxy starts. */
  readonly beforeStart: () => Promise<void>;
  /** Called as soon as the proxy listens, before any request is handled. */
  readonly onListening: (proxy: RunningServer) => void;
}

/** Runs the command without workers, for the quickstart. */
export async function runWithHooks({ beforeStart, onListening }: Hooks): Promise<void> {
  await run(async (config) => {
    await beforeStart();
    const telemetry = await loadTelemetry(config);
    const proxy = await serveInOneProcess(config, telemetry);
    onListening(proxy);
    return proxy;
  });
}

/** Runs a worker process of the command. */
export async function runAsWorker(): Promise<void> {
  const link = openPrimaryLink();
  await runWorker({
    displayName: "this worker",
    loadConfig: (given: Environment) => {
      // The primary process passes on the mode of Edge.
      const { environment } = translate(process.argv.slice(2), given);
      return loadConfig({}, environment.environment, { worker: link.worker, report: environment });
    },
    serve: async (config) => {
      const instanceId = `${config.instanceId}-worker-${link.worker.id}`;
      const telemetry = await loadTelemetry({ ...config, instanceId });
      const { serveAsWorker } = await import("./cluster/worker.ts");
      return serveAsWorker(config, link, telemetry);
    },
    stopped: link.next("stop"),
    reportFailure: (reason) => link.send({ kind: "failed", reason }),
  });
}
