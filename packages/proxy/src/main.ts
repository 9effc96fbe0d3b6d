// The entry point of the bundle, which the programs in bin/ load.

import {
  type Environment,
  type RunningServer,
  runProgram,
  runWorker,
  serveUntilSignal,
  tryLoadEnvFiles,
} from "flags-server-kit";
import { SUBCOMMANDS } from "./cli/subcommands.ts";
import { openPrimaryLink } from "./cluster/primary-link.ts";
import { parseEdgeCommandLine } from "./config/aliases/edge-command-line.ts";
import { REPLACED_PRODUCT } from "./config/aliases/translate-environment.ts";
import type { LoadedConfig } from "./config/assemble-config.ts";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./config/program.ts";

// NOTE: the server is imported only when it is needed, since loading it takes most of the start time.

const EXIT_USAGE = 2;

/** Runs the command `flags-proxy` with the arguments and the environment of the process. */
export async function runCommand(): Promise<void> {
  const commands = { loadConfig: loadFromEnvironment, serve: serveCommand };
  const edge = parseEdgeCommandLine(process.argv.slice(2));
  if (edge === undefined) {
    await runProgram(PROGRAM, commands, SUBCOMMANDS);
  } else if (typeof edge === "string") {
    process.stderr.write(`${edge}\n`);
    process.exitCode = EXIT_USAGE;
  } else if (tryLoadEnvFiles(edge.envFiles)) {
    // NOTE: workers inherit the environment.
    Object.assign(process.env, edge.variables, { [REPLACED_PRODUCT]: "edge" });
    await serveUntilSignal(PROGRAM, commands);
  }
}

function loadFromEnvironment(environment: Environment): Promise<LoadedConfig> {
  return loadConfig({}, environment);
}

async function serveCommand(config: LoadedConfig): Promise<RunningServer> {
  if (config.workers > 1) {
    const { serveWithWorkers } = await import("./cluster/primary.ts");
    return serveWithWorkers(config);
  }
  return serveInOneProcess(config);
}

async function serveInOneProcess(config: LoadedConfig): Promise<RunningServer> {
  const { serve } = await import("./start.ts");
  const proxy = await serve(config);
  return {
    server: proxy.app.server,
    furtherServers: proxy.furtherServers,
    address: `${proxy.url}/proxy`,
    close: () => proxy.close(),
  };
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
      const proxy = await serveInOneProcess(config);
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
    loadConfig: (environment) => loadConfig({}, environment, link.worker),
    serve: async (config) => {
      const { serveAsWorker } = await import("./cluster/worker.ts");
      const proxy = await serveAsWorker(config, link);
      return proxy;
    },
    stopped: link.next("stop"),
    reportFailure: (reason) => link.send({ kind: "failed", reason }),
  });
}
