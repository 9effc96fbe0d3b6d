import type { Subcommand } from "flags-server-kit/command-line";
import type { TranslatedEnvironment } from "../../config/translation-report.ts";

export const CHECK: Subcommand<TranslatedEnvironment> = {
  name: "check",
  summary: "Checks the settings, the connection to the upstream and the store",
  description: [
    "Checks all settings as at startup, then requests the flags from the upstream and reports the results. If there is a store, writes, reads and deletes a test document. Opens the ports only for a moment, to find out whether they are free, and changes nothing else, so it can run next to a running proxy. Never prints a token or a key.",
    "Can be followed by the arguments of Unleash Edge: flags-proxy check edge --upstream-url URL --tokens TOKENS.",
    "Problems prevent the proxy from starting or from getting flags. Warnings do not.",
  ],
  options: { json: { description: "Prints the result as JSON." } },
  exitCodes: ["The proxy can start and get flags.", "There are problems."],
  run: async ({ options, environment }) => {
    const { runCheck } = await import("./run-check.ts");
    const { formatReport } = await import("./check-report.ts");
    const report = await runCheck(environment);
    const output =
      options["json"] === true ? JSON.stringify(report, undefined, 2) : formatReport(report);
    return { output: `${output}\n`, exitCode: report.problems.length === 0 ? 0 : 1 };
  },
};
