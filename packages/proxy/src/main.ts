import { runProgram } from "flags-service";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./program.ts";
import { keepYoungGenerationSmall } from "./young-generation.ts";

await runProgram(PROGRAM, {
  loadConfig: (environment) => loadConfig({}, environment),
  serve: async (config) => {
    // NOTE: not loaded before it is known to be needed, as it takes most of the time of a start.
    if (config.workers > 1) {
      const { serveWithWorkers } = await import("./cluster/serve-with-workers.ts");
      return serveWithWorkers(config);
    }
    const { serve } = await import("./start.ts");
    const proxy = await serve(config);
    keepYoungGenerationSmall([...process.execArgv, process.env["NODE_OPTIONS"]]);
    return {
      server: proxy.app.server,
      address: `${proxy.url}/proxy`,
      close: () => proxy.close(),
    };
  },
});
