import { createLogger } from "flags-server-kit";
import type { Environment } from "flags-server-kit/command-line";
import { type AdminConfig, loadConfig } from "../config/config.ts";

/** Loads the configuration of a command, whose standard output contains only its result: it logs to standard error. */
export function loadCommandConfig(environment: Environment): AdminConfig {
  const logger = createLogger({
    level: "warn",
    json: false,
    secrets: [],
    destination: process.stderr,
  });
  return loadConfig(environment, logger);
}
