import { readFile } from "node:fs/promises";
import { explainUnreadable, StartError } from "flags-server-kit";
import { type Logger, toErrorMessage } from "flags-server-kit/neutral";
import { ProjectAccess } from "../access/project-access.ts";
import { ApiError } from "../errors.ts";
import type { Database } from "../storage/database.ts";
import { SYSTEM_ACTOR } from "../storage/events.ts";
import { features } from "../storage/schema/features.ts";
import type { Storage } from "../storage/storage.ts";
import type { Bundle, ImportItem, ImportReport } from "./bundle/bundle.ts";

/** Which file is imported when the service starts, and where to. */
interface ImportSettings {
  readonly importFile: string | undefined;
  readonly importProject: string | undefined;
  readonly importEnvironment: string | undefined;
  readonly logger: Pick<Logger, "info" | "warn">;
}

/** Whether there are flags, archived or not. */
export async function hasFlags(db: Database): Promise<boolean> {
  const rows = await db.select({ name: features.name }).from(features).limit(1);
  return rows.length > 0;
}

/**
 * Imports the configured file, unless there are flags. Changes run one at a time across all replicas, so that only one of
 * them finds no flags.
 *
 * @throws {StartError} that names the setting, the place in the file and the problem
 */
export async function importAtStart(storage: Storage, settings: ImportSettings): Promise<void> {
  const { importFile, logger } = settings;
  if (importFile === undefined) return;
  const ignored = () =>
    logger.warn(
      `IMPORT_FILE is ignored, because the database contains flags: remove it, or run flags-admin import ${importFile}`,
    );
  if (await hasFlags(storage.db)) return ignored();
  const text = await readFile(importFile, "utf8").catch((cause: unknown) => {
    throw new StartError(`IMPORT_FILE: cannot read ${importFile}: ${explainUnreadable(cause)}`, {
      cause,
    });
  });
  const { applyBundle } = await import("./bundle/apply-bundle.ts");
  try {
    const bundle = await readMapped(text, settings);
    const performer = { role: "admin", access: ProjectAccess.everywhere("admin") } as const;
    const applied = await storage.write(SYSTEM_ACTOR, async (transaction) =>
      (await hasFlags(transaction.db))
        ? undefined
        : applyBundle(transaction, bundle, { performer, overwrites: "everything" }),
    );
    if (applied === undefined) return ignored();
    logImport(applied.report, settings);
  } catch (error) {
    if (!(error instanceof ApiError) || error.statusCode >= 500) throw error;
    throw new StartError(`IMPORT_FILE: ${importFile}: ${toErrorMessage(error)}`, { cause: error });
  }
}

function logImport({ source, items }: ImportReport, { importFile, logger }: ImportSettings): void {
  const listOf = (...effects: readonly ImportItem["effect"][]) =>
    items.filter(({ effect }) => effects.includes(effect));
  const flags = listOf("created", "updated").filter(({ kind }) => kind === "flag");
  logger.info(`IMPORT_FILE: imported ${flags.length} flags from ${importFile}, a ${source}`);
  const missing = listOf("conflict", "left out").map(
    ({ kind, name, reason }) => `${kind} ${name} (${reason})`,
  );
  if (missing.length > 0) {
    logger.warn(
      `IMPORT_FILE: not imported from ${importFile}: ${missing.slice(0, 100).join(", ")}`,
    );
  }
}

async function readMapped(
  text: string,
  { importProject, importEnvironment }: ImportSettings,
): Promise<Bundle> {
  const [{ readBundleFromText }, { environmentsOf, mapBundle }] = await Promise.all([
    import("./bundle/read-bundle.ts"),
    import("./bundle/map-bundle.ts"),
  ]);
  const bundle = await readBundleFromText(text);
  const environments = environmentsOf(bundle);
  if (importEnvironment !== undefined && environments.length > 1) {
    throw new StartError(
      `IMPORT_ENVIRONMENT must not be set, because the file in IMPORT_FILE contains several environments: ${environments.join(", ")}`,
    );
  }
  return mapBundle(bundle, {
    projects: toMapping(
      bundle.projects.map(({ id }) => id),
      importProject,
    ),
    environments: toMapping(environments, importEnvironment),
  });
}

function toMapping(
  names: readonly string[],
  target: string | undefined,
): Readonly<Record<string, string>> {
  return target === undefined ? {} : Object.fromEntries(names.map((name) => [name, target]));
}
