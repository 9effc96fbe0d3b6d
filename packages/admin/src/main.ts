import { runProgram } from "flags-server-kit";
import { loadConfig } from "./config/load-config.ts";
import { PROGRAM } from "./program.ts";

await runProgram(PROGRAM, {
  loadConfig: async (environment) => loadConfig(environment),
  serve: async (config) => {
    // NOTE: not loaded before it is known to be needed, as it takes most of the time of a start.
    const { serve } = await import("./start.ts");
    return serve(config);
  },
});
