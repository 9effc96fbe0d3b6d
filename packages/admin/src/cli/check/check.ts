import type { Subcommand } from "flags-server-kit/command-line";

/** Checks everything that can be checked without serving. */
export const CHECK: Subcommand = {
  name: "check",
  summary: "Checks the settings, the database and the port",
  description: [
    "Checks all settings as at startup, opens the database, compares its tables with those of this version, and finds out whether the port is free. Changes nothing: neither creates a database nor migrates one. While a service runs with the same DATA_DIR, asks it about the database. Never prints a token or a password.",
    "Problems prevent the service from starting. Warnings do not.",
  ],
  options: { json: { description: "Prints the result as JSON." } },
  exitCodes: ["The service runs or can start.", "There are problems."],
  run: async ({ options, environment }) => {
    const { runCheck } = await import("./run-check.ts");
    const { formatReport } = await import("./check-report.ts");
    const report = await runCheck(environment);
    const output =
      options["json"] === true ? JSON.stringify(report, undefined, 2) : formatReport(report);
    return { output: `${output}\n`, exitCode: report.problems.length === 0 ? 0 : 1 };
  },
};
