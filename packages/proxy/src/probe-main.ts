// The entry point of probes, which run every few seconds: it does not load the bundle of the server.

import { runCommandLine } from "flags-server-kit/command-line";
import { PROGRAM } from "./config/program.ts";
import { PROBES } from "./migrate/probes.ts";
import { translate } from "./migrate/translate.ts";

/** Runs the subcommands `health` and `ready` of `flags-proxy`. */
export async function runCommand(): Promise<void> {
  await runCommandLine(
    PROGRAM,
    {
      subcommands: PROBES,
      serve: () => Promise.reject(new Error("Only probes run here")),
    },
    translate,
  );
}
