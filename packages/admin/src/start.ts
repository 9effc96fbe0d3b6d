import type { Server } from "node:http";
import { describeListening, nameSetting } from "flags-server-kit";
import { isLoopbackHost } from "flags-server-kit/command-line";
import type { Telemetry } from "flags-server-kit/telemetry";
import { type CommandSocket, openCommandSocket } from "./commands/command-socket.ts";
import { listen } from "./http/listen.ts";
import { buildApp } from "./app.ts";
import { type AdminConfig, SETTING_BY_TYPE } from "./config/config.ts";
import { watchEventLoop } from "./monitoring/event-loop-watchdog.ts";
import { DiskFullError, withoutQueryValues } from "./storage/errors.ts";
import { openStorage } from "./storage/open-storage.ts";
import { skipRevisions } from "./storage/revisions.ts";
import type { Storage, StorageOptions } from "./storage/storage.ts";
import {
  findTokensOfOtherType,
  findUnusableTokens,
  hasQuickstartTokens,
  createConfiguredTokens,
  type UnusableToken,
} from "./access/create-configured-tokens.ts";
import type { ConfiguredToken } from "./access/configured-tokens.ts";
import { createConfiguredAdmin, describeSetup, isSetupOpen, offerSetup } from "./accounts/setup.ts";
import { toStartError } from "./start-error.ts";
import { hasFlags, importAtStart } from "./transfer/import-at-start.ts";

const QUICKSTART_TOKENS_WARNING =
  "The database contains tokens of the quickstart, which are public: delete them at /api/admin/api-tokens, or let only this machine connect with HOST=127.0.0.1";

/** A service that listens for connections. */
export interface RunningAdmin {
  readonly server: Server;
  /** Where SDKs and the proxy connect, and the URL of the console, for the log. */
  readonly address: string;
  /** Finishes the requests in progress, then closes the database. */
  close(): Promise<void>;
}

const NOT_SET_UP =
  "The service is not set up, and the link to create the first account was printed before: run `flags-admin setup-code` for another one";

const NO_FLAGS =
  "The database contains no flags. If this service had flags before, stop it, and check DATABASE_URL or DATA_DIR or restore a backup: SDKs will turn every flag off";

/**
 * Opens the database, creates the configured tokens and opens the port. With the embedded database, a
 * watchdog ends the process if the database blocks it for a minute.
 *
 * @param telemetry is closed with the service @default nothing is exported
 * @throws {StartError} if the database cannot be used for a reason that the operator can correct
 */
export async function serve(
  config: AdminConfig & Pick<StorageOptions, "onCreating">,
  telemetry?: Telemetry,
): Promise<RunningAdmin> {
  const storage = await openStorage(config).catch((error: unknown) => {
    throw toStartError(error, config);
  });
  try {
    return await serveFrom(storage, config, telemetry);
  } catch (error) {
    await storage.close();
    throw withoutQueryValues(error instanceof DiskFullError ? toStartError(error, config) : error);
  }
}

function describeUnusableToken({ type, scope, missing }: UnusableToken): string {
  const variable = nameSetting(SETTING_BY_TYPE[type]);
  return `${variable}: the token ${scope}.… gives access to nothing, because there is ${missing}. Create what is missing, or correct the token`;
}

function describeOtherType(token: ConfiguredToken, type: string): string {
  return `${describeToken(token)} already exists and stays a token of type ${type}. Delete it, and list a new one`;
}

function describeDeletedToken(token: ConfiguredToken): string {
  return `${describeToken(token)} has been deleted and is not created again. Remove it from the list, and list a new one if it is still needed`;
}

/** Names a configured token without its secret. */
function describeToken({ type, projects, environment }: ConfiguredToken): string {
  return `${nameSetting(SETTING_BY_TYPE[type])}: the token ${projects.join()}:${environment}.…`;
}

async function createAdmin(
  storage: Storage,
  { configuredAdmin, logger }: AdminConfig,
): Promise<void> {
  if (configuredAdmin !== undefined && (await createConfiguredAdmin(storage, configuredAdmin))) {
    logger.info(`Created the account of INIT_ADMIN_USER: ${configuredAdmin.username}`);
  }
}

/** Opens the socket for commands. They can open a PostgreSQL database themselves. */
async function acceptCommands(
  storage: Storage,
  config: AdminConfig,
  { origin, port }: { readonly origin: string; readonly port: number },
): Promise<CommandSocket | undefined> {
  if (storage.kind !== "embedded") return undefined;
  const { dataDir, logger, publicUrl = origin, openId } = config;
  const context = { storage, url: () => publicUrl, hasOpenId: openId !== undefined };
  return openCommandSocket({ dataDir, logger, port, context });
}

/** Prints the link to create the first account, unless somebody can sign in. */
async function printSetup(storage: Storage, config: AdminConfig, origin: string): Promise<void> {
  if (config.openId !== undefined || !(await isSetupOpen(storage.db))) return;
  const code = await offerSetup(storage);
  if (code === undefined) config.logger.warn(NOT_SET_UP);
  // NOTE: not logged, because logs are kept, and read by others.
  else process.stdout.write(describeSetup(config.publicUrl ?? origin, code));
}

async function serveFrom(
  storage: Storage,
  config: AdminConfig,
  telemetry: Telemetry | undefined,
): Promise<RunningAdmin> {
  await skipRevisions(storage);
  // NOTE: before the tokens, which can be for projects and environments of the file.
  await importAtStart(storage, config);
  const { created, deleted } = await createConfiguredTokens(storage, config.configuredTokens);
  if (created > 0) config.logger.info(`Created tokens listed in the environment: ${created}`);
  for (const token of deleted) config.logger.warn(describeDeletedToken(token));
  for (const { configured, type } of await findTokensOfOtherType(
    storage.db,
    config.configuredTokens,
  )) {
    config.logger.warn(describeOtherType(configured, type));
  }
  for (const token of await storage.read((db) => findUnusableTokens(db, config.configuredTokens))) {
    config.logger.warn(describeUnusableToken(token));
  }
  // NOTE: a new database has no flags, and none of the tokens either.
  if (created < config.configuredTokens.length && !(await hasFlags(storage.db))) {
    config.logger.warn(NO_FLAGS);
  }
  await createAdmin(storage, config);

  if (!isLoopbackHost(config.host) && (await storage.read(hasQuickstartTokens))) {
    config.logger.warn(QUICKSTART_TOKENS_WARNING);
  }

  const app = await buildApp(config, storage, { telemetry });
  const opened = await listen(app, config);
  const { origin } = opened;
  const commands = await acceptCommands(storage, config, opened);
  await printSetup(storage, config, origin);
  const stopWatching =
    storage.kind === "embedded" ? watchEventLoop({ logger: config.logger }) : undefined;
  return {
    server: app.server,
    address: `${describeListening(config.host, [opened], `${origin}/api`)}, and serves the console at ${origin}/`,
    close: async () => {
      try {
        // NOTE: at the same time, because a backup holds up changes.
        await Promise.all([app.close(), commands?.close()]);
        // NOTE: before the database, about whose state the last metrics would be wrong.
        await telemetry?.close();
      } finally {
        await storage.close();
        stopWatching?.();
      }
    },
  };
}
