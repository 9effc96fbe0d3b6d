import { once } from "node:events";
import { createServer } from "node:http";
import { createLogger, openPort } from "flags-server-kit";
import type { AdminConfig } from "./config/config.ts";

/**
 * Starts the service. Creating an embedded database takes seconds, so this first checks that the port is free,
 * and logs that the creation begins, at every log level. After that, a signal ends the process at once.
 *
 * @param start calls its parameter before it creates a database
 */
export async function startFirst<T>(
  config: AdminConfig,
  start: (onCreating: (directory: string) => void) => Promise<T>,
): Promise<T> {
  if (await isDatabaseMissing(config)) await checkPort(config);

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

async function checkPort(config: AdminConfig): Promise<void> {
  const server = createServer();
  await openPort(server, config);
  server.close();
  await once(server, "close");
}
