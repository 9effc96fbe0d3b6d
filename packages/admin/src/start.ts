import type { Server } from "node:http";
import { listen } from "flags-server-kit";
import { buildApp } from "./app.ts";
import type { AdminConfig } from "./config/config.ts";
import { watchEventLoop } from "./monitoring/event-loop-watchdog.ts";
import { DiskFullError, withoutQueryValues } from "./storage/errors.ts";
import { openStorage } from "./storage/open-storage.ts";
import { skipRevisions } from "./storage/revisions.ts";
import type { Storage } from "./storage/storage.ts";
import { seedTokens } from "./access/token-store.ts";
import { toStartFailure } from "./to-start-failure.ts";

/** The service, listening. */
export interface RunningAdmin {
  readonly server: Server;
  /** Where SDKs and the proxy reach it. */
  readonly address: string;
  /** Finishes the requests in flight, then closes the database. */
  close(): Promise<void>;
}

/**
 * Opens the database, makes the tokens that are wanted, and opens the port.
 *
 * With the embedded database, a watchdog ends the process if the database blocks it for a minute.
 *
 * @throws {StartError} when the database cannot be used, for a reason that the operator can correct
 */
export async function serve(config: AdminConfig): Promise<RunningAdmin> {
  const storage = await openStorage(config).catch((error: unknown) => {
    throw toStartFailure(error, config);
  });
  try {
    return await serveFrom(storage, config);
  } catch (error) {
    await storage.close();
    throw withoutQueryValues(
      error instanceof DiskFullError ? toStartFailure(error, config) : error,
    );
  }
}

async function serveFrom(storage: Storage, config: AdminConfig): Promise<RunningAdmin> {
  await skipRevisions(storage);
  const count = await seedTokens(storage, config.initTokens);
  if (count > 0) config.logger.info(`Made ${count} of the tokens that the environment lists`);

  const app = await buildApp(config, storage);
  const { origin } = await listen(app, config);
  const stopWatching =
    storage.kind === "embedded" ? watchEventLoop({ logger: config.logger }) : undefined;
  return {
    server: app.server,
    address: `${origin}/api`,
    close: async () => {
      try {
        await app.close();
      } finally {
        await storage.close();
        stopWatching?.();
      }
    },
  };
}
