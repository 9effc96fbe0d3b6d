// The entry point of the bundle, which the programs in bin/ load.

import { type Environment, type RunningServer, runProgram, runWorker } from "flags-server-kit";
import { SUBCOMMANDS } from "./cli/subcommands.ts";
import { openPrimaryLink } from "./cluster/primary-link.ts";
import type { LoadedConfig } from "./config/assemble-config.ts";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./config/program.ts";
import { keepHeapSmall } from "./small-heap.ts";

// NOTE: the server is imported only when it is needed, since loading it takes most of the start time.

interface CommandOptions {
  /** Whether to change the options of V8. @default true */
  readonly tunesHeap?: boolean;
}

/** Runs the command `flags-proxy` with the arguments and the environment of the process. */
export async function runCommand({ tunesHeap = true }: CommandOptions = {}): Promise<void> {
  const serve = (config: LoadedConfig): Promise<RunningServer> => serveCommand(config, tunesHeap);
  await runProgram(PROGRAM, { loadConfig: loadFromEnvironment, serve }, SUBCOMMANDS);
}

function loadFromEnvironment(environment: Environment): Promise<LoadedConfig> {
  return loadConfig({}, environment);
}

async function serveCommand(config: LoadedConfig, tunesHeap: boolean): Promise<RunningServer> {
  if (config.workers > 1) {
    const { serveWithWorkers } = await import("./cluster/primary.ts");
    return serveWithWorkers(config);
  }
  const { serve } = await import("./start.ts");
  const proxy = await serve(config);
  if (tunesHeap) tuneHeap();
  return { server: proxy.app.server, address: `${proxy.url}/proxy`, close: () => proxy.close() };
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
      tuneHeap();
      return proxy;
    },
    stopped: link.next("stop"),
    reportFailure: (reason) => link.send({ kind: "failed", reason }),
  });
}

function tuneHeap(): void {
  keepHeapSmall([...process.execArgv, process.env["NODE_OPTIONS"]]);
}
