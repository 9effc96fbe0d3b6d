// The entry point of the bundle, which the programs in bin/ load.

import {
  type Environment,
  type RunningServer,
  runProgram,
  runWorker,
  tryLoadEnvFiles,
} from "flags-server-kit";
import { EXIT_USAGE } from "flags-server-kit/command-line";
import type { Telemetry } from "flags-server-kit/telemetry";
import { splitArguments } from "./cli/split-arguments.ts";
import { SETTINGS_SUBCOMMANDS, SUBCOMMANDS } from "./cli/subcommands.ts";
import { openPrimaryLink } from "./cluster/primary-link.ts";
import { parseEdgeCommandLine } from "./config/aliases/edge-command-line.ts";
import { REPLACED_PRODUCT } from "./config/aliases/translate-environment.ts";
import type { LoadedConfig } from "./config/assemble-config.ts";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./config/program.ts";

// NOTE: the server is imported only when it is needed, since loading it takes most of the start time.

/** Runs the command `flags-proxy` with the arguments and the environment of the process. */
export async function runCommand(): Promise<void> {
  const commands = { loadConfig: loadFromEnvironment, serve: serveCommand };
  const { own, others } = splitArguments(process.argv.slice(2), SETTINGS_SUBCOMMANDS);
  const edge = parseEdgeCommandLine(others);
  // The mistake may be in an option of the subcommand: `migrate --form edge`.
  const isOfSubcommand = typeof edge === "string" && own.length > 0 && others[0]?.startsWith("-");
  if (edge === undefined || isOfSubcommand === true) {
    await runProgram(PROGRAM, commands, SUBCOMMANDS);
  } else if (typeof edge === "string") {
    failUsage(edge);
  } else if (tryLoadEnvFiles(edge.envFiles)) {
    // NOTE: workers inherit the environment.
    Object.assign(process.env, edge.variables, { [REPLACED_PRODUCT]: "edge" });
    process.argv.splice(2, Infinity, ...own);
    const hasAddress = Boolean(process.env["BOOTSTRAP_FILE"] || process.env["FLAGS_URL"]);
    if (edge.mode === "offline" && !hasAddress) failUsage(NO_FILE);
    else await runProgram(PROGRAM, commands, SUBCOMMANDS);
  }
}

const NO_FILE = "flags-proxy offline needs a file with flags: --bootstrap-file FILE";

function failUsage(problem: string): void {
  process.stderr.write(`${problem}\n`);
  process.exitCode = EXIT_USAGE;
}

function loadFromEnvironment(environment: Environment): Promise<LoadedConfig> {
  return loadConfig({}, environment);
}

async function serveCommand(config: LoadedConfig): Promise<RunningServer> {
  const telemetry = await loadTelemetry(config);
  if (config.workers > 1) {
    const { serveWithWorkers } = await import("./cluster/primary.ts");
    return serveWithWorkers(config, telemetry);
  }
  return serveInOneProcess(config, telemetry);
}

async function serveInOneProcess(
  config: LoadedConfig,
  telemetry: Telemetry | undefined,
): Promise<RunningServer> {
  const { serveWithTelemetry } = await import("./start.ts");
  const proxy = await serveWithTelemetry(config, telemetry);
  return {
    server: proxy.app.server,
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
}: LoadedConfig): Promise<Telemetry | undefined> {
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
  await runProgram(PROGRAM, {
    loadConfig: loadFromEnvironment,
    serve: async (config) => {
      await beforeStart();
      const telemetry = await loadTelemetry(config);
      const proxy = await serveInOneProcess(config, telemetry);
      onListening(proxy);
      return proxy;
    },
  });
}

/** Runs a worker process of the command. */
export async function runAsWorker(): Promise<void> {
  const link = openPrimaryLink();
  await runWorker({
    displayName: "this worker",
    loadConfig: (environment) => loadConfig({}, environment, { worker: link.worker }),
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
