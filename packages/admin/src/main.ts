import { runCommandLine } from "flags-server-kit/command-line";
import { PROGRAM } from "./config/settings.ts";
import { PROBES } from "./probes.ts";

await runCommandLine(PROGRAM, {
  subcommands: PROBES,
  // NOTE: loaded only when needed, because it takes most of the startup time.
  serve: async () => {
    const { serveCommand } = await import("./serve-command.ts");
    await serveCommand();
  },
});
