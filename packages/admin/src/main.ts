// The entry point of the bundle, which the program in bin/ loads.

import { serveUntilSignal } from "flags-server-kit";
import { runCommandLine } from "flags-server-kit/command-line";
import { SUBCOMMANDS } from "./cli/subcommands.ts";
import { loadConfig } from "./config/config.ts";
import { PROGRAM } from "./config/settings.ts";
import type { RunningAdmin } from "./start.ts";

/**
 * Runs the command `flags-admin` with the arguments and the environment of the process.
 *
 * @param onListening called as soon as the service listens, before any request is handled
 */
export async function runCommand(
  onListening: (admin: RunningAdmin) => void = () => undefined,
): Promise<void> {
  await runCommandLine(PROGRAM, {
    subcommands: SUBCOMMANDS,
    serve: () =>
      serveUntilSignal(PROGRAM, {
        loadConfig: async (environment) => loadConfig(environment),
        serve: async (config) => {
          // NOTE: loaded after the settings are valid, because it takes most of the startup time.
          const { serve } = await import("./start.ts");
          const admin = await serve(config);
          onListening(admin);
          return admin;
        },
      }),
  });
}
