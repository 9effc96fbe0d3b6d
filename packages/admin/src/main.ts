import { runProgram } from "flags-server-kit";
import { loadConfig } from "./config/config.ts";
import { PROGRAM } from "./config/settings.ts";

await runProgram(PROGRAM, {
  loadConfig: async (environment) => loadConfig(environment),
  serve: async (config) => {
    // NOTE: loaded only when needed, because it takes most of the startup time.
    const { serve } = await import("./start.ts");
    return serve(config);
  },
});
