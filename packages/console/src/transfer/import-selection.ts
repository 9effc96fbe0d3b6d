import type { ImportContents } from "../api/types.ts";
import type { ImportFile } from "./import-file.ts";

/** Stands for all projects of a file, each into the project with the same id. */
export const ALL_PROJECTS = "*";

/** What people have chosen. */
export interface ImportSelection {
  /** The project in the file whose flags are imported. @default see `toImportBody()` */
  readonly source?: string;
  /** Where the environments in the file go; null to leave one out. @default those of the same name */
  readonly environments: Readonly<Record<string, string | null>>;
  readonly overwrites: boolean;
}

export const NOTHING_CHOSEN: ImportSelection = { environments: {}, overwrites: false };

interface ImportTarget {
  readonly project: string;
  /** Names of the environments of the project. */
  readonly environments: readonly string[];
}

/** Returns where an environment in the file goes; null if it is left out, and undefined if nobody has chosen it yet. */
export function targetOf(
  name: string,
  { environments }: ImportSelection,
  target: ImportTarget,
): string | null | undefined {
  if (Object.hasOwn(environments, name)) return environments[name];
  return target.environments.includes(name) ? name : undefined;
}

/** Returns the project in the file whose flags are imported; undefined if nobody has chosen it yet. */
export function sourceOf(
  contents: ImportContents,
  { source }: ImportSelection,
  { project }: ImportTarget,
): string | undefined {
  if (source !== undefined) return source;
  const [first, ...others] = contents.projects;
  if (others.length === 0) return first;
  return contents.projects.includes(project) ? project : undefined;
}

/**
 * Returns the body of the request for an import.
 *
 * @param contents of the file; undefined until the service has said what it contains
 * @returns undefined if something has to be chosen first
 */
export function toImportBody(
  { content: file }: ImportFile,
  contents: ImportContents | undefined,
  selection: ImportSelection,
  target: ImportTarget,
): object | undefined {
  const { project } = target;
  if (contents === undefined) return { file, project };
  const source = sourceOf(contents, selection, target);
  const targets = contents.environments.map(
    (name) => [name, targetOf(name, selection, target)] as const,
  );
  const isChosen = source !== undefined || contents.projects.length === 0;
  if (!isChosen || targets.some(([, name]) => name === undefined)) return undefined;
  const renamed = targets.filter(([name, other]) => name !== other);
  return {
    file,
    ...(source !== ALL_PROJECTS && { project }),
    ...(source !== ALL_PROJECTS && contents.projects.length > 1 && { onlyProjects: [source] }),
    ...(renamed.length > 0 && { environments: Object.fromEntries(renamed) }),
    ...(selection.overwrites && { overwrite: true }),
  };
}
