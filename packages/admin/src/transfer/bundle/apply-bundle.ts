import type { Performer } from "../../access/performer.ts";
import type { ProjectAccess } from "../../access/project-access.ts";
import { includesLevel } from "../../access/role.ts";
import { createEnvironment } from "../../domain/environments/change-environments.ts";
import { findEnvironment, listEnvironments } from "../../domain/environments/store.ts";
import { findFeatures } from "../../domain/feature.ts";
import { addEnvironment } from "../../domain/projects/project-environments.ts";
import {
  createProject,
  findProject,
  getActiveProject,
  listProjectEnvironments,
} from "../../domain/projects/store.ts";
import { ApiError, unknownProject } from "../../errors.ts";
import type { Database } from "../../storage/database.ts";
import type { WriteTransaction } from "../../storage/storage.ts";
import { importProject, planImport } from "../project-file/import-project.ts";
import { importReferences } from "../project-file/import-references.ts";
import type { FeatureInFile, ProjectFileContent } from "../project-file/schemas.ts";
import {
  type Bundle,
  type EnvironmentInBundle,
  type Conflict,
  type ImportItem,
  type ImportReport,
  type ProjectInBundle,
} from "./bundle.ts";
import { findChangedHere } from "./changed-here.ts";
import { environmentsIn } from "./map-bundle.ts";
import { describingPlacesAsync } from "./describe-place.ts";
import { reconcileDefinitions } from "./reconcile-definitions.ts";

export type Overwrites = "everything" | "flags" | "nothing";

interface ImportOptions {
  readonly performer: Performer;
  /** What is replaced if it was changed here. The rest is a conflict. @default nothing */
  readonly overwrites?: Overwrites;
}

/** What an import did. */
export interface Applied {
  readonly report: ImportReport;
  /** The flags that were imported, by project, with what they refer to. */
  readonly files: ReadonlyMap<string, ProjectFileContent>;
}

/**
 * Imports a bundle: everything except conflicts, or nothing if there is an error. Creates missing environments, projects and
 * definitions. Importing the same again changes nothing.
 *
 * @throws {ApiError} that says in words where the problem is; 403 if the performer may not create or change something
 */
export async function applyBundle(
  transaction: WriteTransaction,
  bundle: Bundle,
  { performer, overwrites = "nothing" }: ImportOptions,
): Promise<Applied> {
  const items: ImportItem[] = [];
  for (const environment of bundle.environments) {
    items.push(await applyEnvironment(transaction, environment, performer));
  }
  const projects: ProjectInBundle[] = [];
  for (const project of bundle.projects) {
    await requireEditor(transaction.db, performer, project.id);
    const applied = await applyProject(transaction, project, performer);
    items.push(...applied.items);
    projects.push(restrict(project, applied.environments));
  }
  const { access } = performer;
  const { findBlocked, definitionsFor, ...reconciled } = await reconcileDefinitions(
    transaction,
    { definitions: bundle.definitions, projects },
    { access, overwrites: overwrites === "everything" },
  );
  items.push(...reconciled.items);
  const files = new Map<string, ProjectFileContent>();
  for (const [index, { id, file }] of projects.entries()) {
    const definitions = definitionsFor(id, index === 0);
    await describingPlacesAsync(definitions, () =>
      importReferences(transaction, id, { ...definitions, version: 1, features: [] }, access),
    );
    const blocked = new Map(
      file.features.flatMap((flag) => {
        const conflict = findBlocked(flag, id);
        return conflict === undefined ? [] : [[flag.name, conflict] as const];
      }),
    );
    const flags = await applyFlags(transaction, { id, file }, { access, overwrites, blocked });
    items.push(...flags.items);
    files.set(id, { ...definitions, ...file, features: [...flags.features] });
  }
  const { source, contents, leftOut } = bundle;
  return { report: { source, contents, items: [...items, ...leftOut] }, files };
}

/**
 * @throws {ApiError} 403 if the performer may not change the project; 404 if only an admin could create it, also if it exists
 * but is hidden from them
 */
async function requireEditor(
  db: Database,
  { role, access }: Performer,
  project: string,
): Promise<void> {
  const level = access.levelIn(project);
  const isKnown = level !== undefined && (await findProject(db, project)) !== undefined;
  if (!isKnown && role !== "admin") throw unknownProject(project);
  if (level !== undefined && includesLevel(level, "editor")) return;
  throw new ApiError(
    "PermissionError",
    `You may not change the project ${JSON.stringify(project)}: contact an owner of the project, or an admin`,
  );
}

async function applyEnvironment(
  transaction: WriteTransaction,
  environment: EnvironmentInBundle,
  { role }: Performer,
): Promise<ImportItem> {
  const { name } = environment;
  const item = { kind: "environment", name } as const;
  if ((await findEnvironment(transaction.db, name)) !== undefined) {
    return { ...item, effect: "unchanged" };
  }
  if (role !== "admin") {
    const reason = "does not exist here, and only admins can create it";
    return { ...item, effect: "conflict", reason };
  }
  await describingPlacesAsync(environment, () => createEnvironment(transaction, environment));
  return { ...item, effect: "created" };
}

interface AppliedProject {
  readonly items: readonly ImportItem[];
  /** The environments of the project here. */
  readonly environments: ReadonlySet<string>;
}

async function applyProject(
  transaction: WriteTransaction,
  { id, name = id, description, defaultStickiness, environments = [], file }: ProjectInBundle,
  { access }: Performer,
): Promise<AppliedProject> {
  const { db } = transaction;
  const used = new Set([
    ...environments,
    ...file.features.flatMap((flag) => (flag.environments ?? []).map((state) => state.name)),
  ]);
  const item = { kind: "project", name: id } as const;
  if ((await findProject(db, id)) === undefined) {
    const created = await createProject(transaction, {
      id,
      name,
      ...(description !== undefined && { description }),
      ...(defaultStickiness !== undefined && { defaultStickiness }),
      ...(used.size > 0 && { environments: [...used] }),
    });
    return {
      items: [{ ...item, effect: "created" }],
      environments: new Set(created.environments),
    };
  }
  await getActiveProject(db, id);
  const known = new Set(await listProjectEnvironments(db, id));
  // NOTE: those that do not exist are conflicts already.
  const existing = new Set((await listEnvironments(db)).map((one) => one.name));
  const missing = [...used].filter((one) => existing.has(one) && !known.has(one));
  if (!includesLevel(access.levelIn(id) ?? "viewer", "owner")) {
    return {
      items: [
        { ...item, effect: "unchanged" },
        ...missing.map((environment): ImportItem => {
          const reason = "is not part of the project, and only its owners can add it";
          return {
            kind: "environment",
            name: environment,
            project: id,
            effect: "conflict",
            reason,
          };
        }),
      ],
      environments: known,
    };
  }
  for (const environment of missing) await addEnvironment(transaction, id, environment);
  return {
    items: [{ ...item, effect: missing.length > 0 ? "updated" : "unchanged" }],
    environments: new Set([...known, ...missing]),
  };
}

/** Removes the states in other environments. */
function restrict(project: ProjectInBundle, environments: ReadonlySet<string>): ProjectInBundle {
  const { file } = project;
  const { defaultStrategies } = file;
  return {
    ...project,
    file: {
      ...file,
      ...(defaultStrategies !== undefined && {
        defaultStrategies: defaultStrategies.filter(({ environment }) =>
          environments.has(environment),
        ),
      }),
      features: file.features.map((flag) => ({
        ...flag,
        ...(flag.environments !== undefined && {
          environments: flag.environments.filter(({ name }) => environments.has(name)),
        }),
      })),
    },
  };
}

interface FlagOptions {
  readonly access: ProjectAccess;
  readonly overwrites: Overwrites;
  /** Why flags cannot be imported, by name. */
  readonly blocked: ReadonlyMap<string, Conflict>;
}

interface AppliedFlags {
  readonly items: readonly ImportItem[];
  readonly features: readonly FeatureInFile[];
}

async function applyFlags(
  transaction: WriteTransaction,
  { id, file }: Pick<ProjectInBundle, "file" | "id">,
  { access, overwrites, blocked }: FlagOptions,
): Promise<AppliedFlags> {
  const conflicts = new Map([...blocked, ...(await findUnusable(transaction, id, file.features))]);
  excludeChildren(file.features, conflicts, await findParents(transaction, file.features));
  const select = () => ({
    ...file,
    features: file.features.filter(({ name }) => !conflicts.has(name)),
  });
  if (overwrites === "nothing") {
    const selected = select();
    const changed = await describingPlacesAsync(selected, async () => {
      const { updated } = await planImport(transaction, id, selected);
      return findChangedHere(transaction.db, id, updated);
    });
    for (const [name, conflict] of changed) conflicts.set(name, conflict);
  }
  const selected = select();
  const report = await describingPlacesAsync(selected, () =>
    importProject(transaction, { project: id, access, ...findOnlyEnvironment(selected) }, selected),
  );
  const toItems = (names: readonly string[], effect: ImportItem["effect"]): ImportItem[] =>
    names.map((name) => ({ kind: "flag", name, project: id, effect }));
  return {
    features: selected.features,
    items: [
      ...toItems(report.created, "created"),
      ...toItems(report.updated, "updated"),
      ...toItems(report.unchanged, "unchanged"),
      ...Array.from(conflicts, ([name, conflict]): ImportItem => {
        return { kind: "flag", name, project: id, effect: "conflict", ...conflict };
      }),
    ],
  };
}

/** The reason of a conflict with an archived flag. */
export const IS_ARCHIVED = "is archived here: revive it or delete it first";

/** Finds flags whose names are in use here by something that an import must not replace. */
async function findUnusable(
  { db }: WriteTransaction,
  project: string,
  flags: readonly FeatureInFile[],
): Promise<ReadonlyMap<string, Conflict>> {
  const existing = await findFeatures(
    db,
    flags.map(({ name }) => name),
  );
  return new Map(
    existing.flatMap((flag) => {
      if (flag.project !== project) {
        const reason = "has the name of a flag of another project, and names are unique";
        return [[flag.name, { reason }]];
      }
      return flag.archivedAt === null ? [] : [[flag.name, { reason: IS_ARCHIVED }]];
    }),
  );
}

function findOnlyEnvironment({ features }: ProjectFileContent): { readonly environment?: string } {
  const [environment, ...others] = environmentsIn(features);
  return environment === undefined || others.length > 0 ? {} : { environment };
}

/** Finds the parents that exist here and are active. */
async function findParents(
  { db }: WriteTransaction,
  flags: readonly FeatureInFile[],
): Promise<ReadonlySet<string>> {
  const parents = flags.flatMap(({ dependencies = [] }) =>
    dependencies.map(({ feature }) => feature),
  );
  const found = await findFeatures(db, parents);
  return new Set(found.filter(({ archivedAt }) => archivedAt === null).map(({ name }) => name));
}

/** Excludes flags whose parent is neither imported nor here. */
function excludeChildren(
  flags: readonly FeatureInFile[],
  conflicts: Map<string, Conflict>,
  known: ReadonlySet<string>,
): void {
  const imported = new Set(flags.map(({ name }) => name).filter((name) => !conflicts.has(name)));
  for (const { name, dependencies = [] } of flags) {
    const [parent] = dependencies;
    if (parent === undefined || imported.has(parent.feature) || known.has(parent.feature)) continue;
    if (!conflicts.has(name)) {
      const reason = `depends on the flag ${parent.feature}, which is neither imported nor here`;
      conflicts.set(name, { reason });
    }
  }
}
