import { runWorker } from "flags-service";
import { openPrimaryLink } from "./cluster/primary-link.ts";
import { loadConfig } from "./config/load-config.ts";
import { keepYoungGenerationSmall } from "./young-generation.ts";

// NOTE: started by cluster/worker-pool.ts, by the name of this file.
const link = openPrimaryLink();

await runWorker({
  noun: "this worker",
  loadConfig: (environment) => loadConfig({}, environment, link.worker),
  serve: async (config) => {
    const { serveAsWorker } = await import("./cluster/serve-as-worker.ts");
    const proxy = await serveAsWorker(config, link);
    keepYoungGenerationSmall([...process.execArgv, process.env["NODE_OPTIONS"]]);
    return proxy;
  },
  stopped: link.next("stop"),
  tellFailure: (reason) => link.send({ kind: "failed", reason }),
});
