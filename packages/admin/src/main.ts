// The entry point of the bundle, which the program in bin/ loads.

import { randomUUID } from "node:crypto";
import { hostname } from "node:os";
import { createLogger, serveUntilSignal, tryPort } from "flags-server-kit";
import { runCommandLine } from "flags-server-kit/command-line";
import type { Telemetry } from "flags-server-kit/telemetry";
import { SUBCOMMANDS } from "./cli/subcommands.ts";
import { type AdminConfig, loadConfig } from "./config/config.ts";
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
    serve: (given) =>
      serveUntilSignal(
        PROGRAM,
        {
          loadConfig: async (environment) => loadConfig(environment),
          serve: async (config) => {
            const telemetry = await loadTelemetry(config);
            // NOTE: loaded after the settings are valid, because it takes most of the startup time.
            const { serve } = await import("./start.ts");
            const admin = await startService(config, (onCreating) =>
              serve({ ...config, onCreating }, telemetry),
            );
            onListening(admin);
            return admin;
          },
        },
        given,
      ),
  });
}

/** NOTE: imported only if it is enabled: it would make every start slower. */
async function loadTelemetry({
  telemetry: config,
  logger,
  logTap: tap,
}: AdminConfig): Promise<Telemetry | undefined> {
  if (config === undefined) return undefined;
  const { startTelemetry } = await import("flags-server-kit/telemetry");
  const { name, version } = PROGRAM;
  const { "service.instance.id": instanceId = `${hostname()}-${randomUUID().slice(0, 8)}` } =
    config.resourceAttributes;
  return startTelemetry({ config, service: { name, version, instanceId }, logger, tap });
}

/**
 * Starts the service. Creating an embedded database takes seconds, so if there is none yet, this first checks that
 * the port is free, logs that the creation begins, at every log level, and then lets a signal end the process at once.
 *
 * @param start calls its parameter before it creates a database
 */
async function startService<T>(
  config: AdminConfig,
  start: (onCreating: (directory: string) => void) => Promise<T>,
): Promise<T> {
  if (await isDatabaseMissing(config)) await tryPort(config);

  const logger = createLogger({ level: "info", json: config.useJsonLogger, secrets: [] });
  try {
    return await start((directory) => {
      logger.info(`Creating the database in ${directory}`);
      for (const signal of SIGNALS) process.on(signal, end);
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** NOTE: safe, because the next start replaces an incomplete database, and a complete one survives a crash. */
function end(): never {
  process.exit(0);
}

async function isDatabaseMissing({ databaseUrl, dataDir }: AdminConfig): Promise<boolean> {
  if (databaseUrl !== undefined) return false;
  const { hasEmbeddedDatabase } = await import("./storage/embedded-storage.ts");
  return !hasEmbeddedDatabase(dataDir);
}
