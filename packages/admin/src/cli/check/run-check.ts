import {
  ConfigError,
  DirectoryInUseError,
  explainStartFailure,
  StartError,
} from "flags-server-kit";
import type { Environment } from "flags-server-kit/command-line";
import type { CustomLogger } from "flags-server-kit/neutral";
import { readServiceStatus } from "../../commands/call-service.ts";
import {
  type DatabaseFacts,
  readDatabaseFacts,
  type ServiceStatus,
} from "../../commands/service-status.ts";
import { type AdminConfig, loadConfig } from "../../config/config.ts";
import { PROGRAM } from "../../config/settings.ts";
import { showDatabaseUrl } from "../../config/url-setting-kinds.ts";
import { toStartError } from "../../start-error.ts";
import {
  checkNewDatabase,
  checkOwner,
  hasEmbeddedDatabase,
} from "../../storage/embedded-storage.ts";
import { MIGRATIONS, SCHEMA_VERSION, SchemaTooNewError } from "../../storage/migrate.ts";
import { useUnprepared } from "../../storage/open-storage.ts";
import { explainInUse } from "../run-command.ts";
import { checkPort } from "./check-port.ts";
import type { CheckedDatabase, CheckedSettings, CheckReport } from "./check-report.ts";

/** Checks the settings, the database and the port as a start does. Changes nothing. */
export async function runCheck(environment: Environment): Promise<CheckReport> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const found = { version: PROGRAM.version, problems, warnings };
  const config = tryLoadConfig(environment, found);
  if (config === undefined) return found;
  // NOTE: the logger of the configuration removes secrets from what it passes on to the lists.
  const report = (error: unknown): undefined => {
    config.logger.error(explainStartFailure(error));
  };

  const { service, facts } = (await inspectDatabase(config).catch(report)) ?? {};
  if (facts !== undefined) checkFacts(config, facts);
  await checkPort(config, service?.port).catch(report);
  return {
    ...found,
    settings: describeSettings(config),
    ...(facts !== undefined && { database: describeDatabase(config, facts) }),
    ...(service !== undefined && {
      service: { version: service.version, processId: service.processId, port: service.port },
    }),
  };
}

const ignore = (): void => undefined;

/** Loads the configuration with a logger that adds to the findings. */
function tryLoadConfig(
  environment: Environment,
  { problems, warnings }: Record<"problems" | "warnings", string[]>,
): AdminConfig | undefined {
  const logger: CustomLogger = {
    debug: ignore,
    info: ignore,
    warn: (message) => void warnings.push(String(message)),
    error: (message) => void problems.push(String(message)),
  };
  try {
    return loadConfig(environment, logger);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    warnings.push(...error.hints);
    return undefined;
  }
}

interface Inspection {
  /** The service that holds the embedded database. */
  readonly service?: ServiceStatus | undefined;
  readonly facts?: DatabaseFacts | undefined;
}

async function inspectDatabase(config: AdminConfig): Promise<Inspection> {
  const { databaseUrl, dataDir } = config;
  const service = databaseUrl === undefined ? await readServiceStatus(dataDir) : undefined;
  return { service, facts: service?.database ?? (await findFacts(config)) };
}

/** Reads the facts about the database; undefined if there is none yet, and a start could create it. */
async function findFacts(config: AdminConfig): Promise<DatabaseFacts | undefined> {
  const { databaseUrl, dataDir } = config;
  try {
    if (databaseUrl === undefined) {
      if (!hasEmbeddedDatabase(dataDir)) {
        await checkNewDatabase(config);
        config.logger.warn(
          `There is no database in ${dataDir} yet: the next start creates an empty one. Check DATA_DIR if there should be one`,
        );
        return undefined;
      }
      checkOwner(dataDir);
    }
    return await useUnprepared(config, readDatabaseFacts);
  } catch (error) {
    if (error instanceof StartError) throw error;
    throw error instanceof DirectoryInUseError ? explainInUse(error) : toStartError(error, config);
  }
}

function checkFacts(config: AdminConfig, facts: DatabaseFacts): void {
  const { configuredTokens, configuredAdmin, openId, logger } = config;
  const { schemaVersion, canCreateTables } = facts;
  if (schemaVersion > SCHEMA_VERSION) {
    logger.error(new SchemaTooNewError(schemaVersion, SCHEMA_VERSION).message);
  }
  if (schemaVersion < SCHEMA_VERSION && !canCreateTables) {
    logger.error(
      "Migrations are pending, but the user has no permission to create tables in the database",
    );
  }
  const hasConfiguredAdmin =
    openId !== undefined ||
    configuredAdmin !== undefined ||
    configuredTokens.some(({ type }) => type === "admin");
  if (facts.isSetupOpen && !hasConfiguredAdmin) {
    logger.warn(
      "There is no admin: open the link that the service prints at its first start, or run `flags-admin setup-code` for another one",
    );
  }
}

function describeDatabase(
  { databaseUrl }: AdminConfig,
  { schemaVersion, serverVersion, sizeBytes }: DatabaseFacts,
): CheckedDatabase {
  return {
    kind: databaseUrl === undefined ? "embedded" : "postgresql",
    serverVersion,
    sizeBytes,
    schemaVersion,
    pendingMigrations: MIGRATIONS.filter(({ version }) => version > schemaVersion).map(
      ({ name }) => name,
    ),
  };
}

function describeSettings(config: AdminConfig): CheckedSettings {
  const { host, port, publicUrl, databaseUrl, dataDir, openId, configuredTokens } = config;
  return {
    host,
    port,
    publicUrl,
    database: databaseUrl === undefined ? dataDir : showDatabaseUrl(databaseUrl),
    openIdIssuer: openId?.issuer,
    configuredTokens: configuredTokens.length,
  };
}
