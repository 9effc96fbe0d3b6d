import { serveUntilSignal } from "flags-server-kit";
import { loadConfig } from "./config/config.ts";
import { PROGRAM } from "./config/settings.ts";

/** Serves until SIGINT or SIGTERM, and ends the process. */
export async function serveCommand(): Promise<void> {
  await serveUntilSignal(PROGRAM, {
    loadConfig: async (environment) => loadConfig(environment),
    serve: async (config) => {
      // NOTE: loaded after the settings are valid, because it takes most of the startup time.
      const { serve } = await import("./start.ts");
      return serve(config);
    },
  });
}
