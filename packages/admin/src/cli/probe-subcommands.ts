import { createProbe, type Environment, type Subcommand } from "flags-server-kit/command-line";
import { SETTINGS } from "../config/settings.ts";

const { port, host } = SETTINGS;
const settings = { port, host };
const sourcesOf = (environment: Environment) => ({ environment });

/** The subcommands for exec probes. */
export const PROBES: readonly Subcommand[] = [
  createProbe({
    name: "health",
    summary: "Checks that the running service responds, for health checks and liveness probes",
    description: "Checks that the running service responds, independently of its database.",
    success: "The service responds.",
    path: "/health",
    settings,
    sourcesOf,
  }),
  createProbe({
    name: "ready",
    summary: "Checks that the running service can serve all requests, for readiness probes",
    description:
      "Checks that the running service can serve all requests: its database is available and accepts writes.",
    success: "The service serves all requests.",
    path: "/ready",
    settings,
    sourcesOf,
  }),
];
