// What the programs in bin/ run.

import { runProgram, runWorker } from "flags-server-kit";
import { openPrimaryLink } from "./cluster/primary-link.ts";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./program.ts";
import { keepHeapSmall } from "./small-heap.ts";

// NOTE: what serves is not loaded before it is known to be needed, as it takes most of the time of a
// start.

/** Does what the arguments of the process ask for, until it is told to stop. */
export async function runCommand(): Promise<void> {
  await runProgram(PROGRAM, {
    loadConfig: (environment) => loadConfig({}, environment),
    serve: async (config) => {
      if (config.workers > 1) {
        const { serveWithWorkers } = await import("./cluster/serve-with-workers.ts");
        return serveWithWorkers(config);
      }
      const { serve } = await import("./start.ts");
      const proxy = await serve(config);
      tuneHeap();
      return {
        server: proxy.app.server,
        address: `${proxy.url}/proxy`,
        close: () => proxy.close(),
      };
    },
  });
}

/** Serves as one of the processes that the command has started, until that one ends it. */
export async function runAsWorker(): Promise<void> {
  const link = openPrimaryLink();
  await runWorker({
    displayName: "this worker",
    loadConfig: (environment) => loadConfig({}, environment, link.worker),
    serve: async (config) => {
      const { serveAsWorker } = await import("./cluster/serve-as-worker.ts");
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
