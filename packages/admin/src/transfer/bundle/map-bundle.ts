import { badData } from "../../errors.ts";
import { groupBy } from "../../storage/database.ts";
import { type Bundle, type ImportItem, leaveOut, type ProjectInBundle } from "./bundle.ts";

/** Where the parts of a bundle are imported to. */
export interface Mapping {
  /** The only projects to import, by their ids in the bundle. @default all */
  readonly onlyProjects?: readonly string[] | undefined;
  /** Ids here, by ids in the bundle. @default the same ids */
  readonly projects?: Readonly<Record<string, string>> | undefined;
  /** Names here, by names in the bundle; null to leave an environment out. @default the same names */
  readonly environments?: Readonly<Record<string, string | null>> | undefined;
}

/**
 * Selects and renames projects and environments.
 *
 * @throws {ApiError} 400 if the mapping names something that the bundle does not contain, or maps two environments to one
 */
export function mapBundle(bundle: Bundle, mapping: Mapping): Bundle {
  checkNames(bundle, mapping);
  const { onlyProjects, projects: ids = {}, environments: names = {} } = mapping;
  const isSelected = ({ id }: Pick<ProjectInBundle, "id">) => onlyProjects?.includes(id) ?? true;
  const toId = createLookup(ids);
  const toName = createLookup(names);
  const selected = bundle.projects.filter(isSelected);
  const isOfSelected = ({ project }: { readonly project?: string | undefined }) =>
    project === undefined || selected.some(({ id }) => id === project);
  const toOwner = <T extends { readonly project?: string | undefined }>(definition: T) => ({
    ...definition,
    ...(definition.project !== undefined && { project: toId(definition.project) }),
  });
  const { contextFields, segments } = bundle.definitions;
  return {
    ...bundle,
    environments: bundle.environments.flatMap((environment) => {
      const name = toName(environment.name);
      return name === null ? [] : [{ ...environment, name }];
    }),
    projects: mergeProjects(selected.map((project) => mapProject(project, toId, toName))),
    definitions: {
      ...bundle.definitions,
      contextFields: contextFields.filter(isOfSelected).map(toOwner),
      segments: segments.filter(isOfSelected).map(toOwner),
    },
    leftOut: [...bundle.leftOut.filter(isOfSelected), ...listExcluded(bundle, mapping)],
  };
}

/** NOTE: names such as `constructor` are not those of a property that objects inherit. */
function createLookup<T>(mapped: Readonly<Record<string, T>>) {
  return (name: string): T | string => (Object.hasOwn(mapped, name) ? (mapped[name] as T) : name);
}

function mapProject(
  { file, environments, ...project }: ProjectInBundle,
  toId: (id: string) => string,
  toName: (name: string) => string | null,
): ProjectInBundle {
  const { defaultStrategies } = file;
  return {
    ...project,
    id: toId(project.id),
    ...(environments !== undefined && {
      environments: environments.flatMap((name) => toName(name) ?? []),
    }),
    file: {
      ...file,
      features: file.features.map((flag) =>
        flag.environments === undefined
          ? flag
          : {
              ...flag,
              environments: flag.environments.flatMap((state) => {
                const name = toName(state.name);
                return name === null ? [] : [{ ...state, name }];
              }),
            },
      ),
      ...(defaultStrategies !== undefined && {
        defaultStrategies: defaultStrategies.flatMap((strategy) => {
          const environment = toName(strategy.environment);
          return environment === null ? [] : [{ ...strategy, environment }];
        }),
      }),
    },
  };
}

/** Combines projects that have got the same id. */
function mergeProjects(projects: readonly ProjectInBundle[]): ProjectInBundle[] {
  return [...groupBy(projects, ({ id }) => id).values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    if (others.length === 0) return [first];
    const all = [first, ...others];
    const environments = new Set(all.flatMap((project) => project.environments ?? []));
    return [
      {
        ...first,
        environments: [...environments],
        file: { ...first.file, features: all.flatMap(({ file }) => file.features) },
      },
    ];
  });
}

function listExcluded(bundle: Bundle, { onlyProjects, environments = {} }: Mapping): ImportItem[] {
  const excluded =
    onlyProjects === undefined
      ? []
      : bundle.projects.filter(({ id }) => !onlyProjects.includes(id));
  return [
    ...excluded.map(({ id }) => leaveOut("project", id, "was not selected")),
    ...Object.entries(environments)
      .filter(([, target]) => target === null)
      .map(([name]) => leaveOut("environment", name, "was not selected")),
  ];
}

function checkNames(
  bundle: Bundle,
  { onlyProjects = [], projects = {}, environments = {} }: Mapping,
) {
  const ids = new Set(bundle.contents.projects);
  const names = new Set(bundle.contents.environments);
  for (const id of onlyProjects) {
    if (!ids.has(id)) throw badData("/body/onlyProjects", describeUnknown("project", id, ids));
  }
  for (const id of Object.keys(projects)) {
    if (!ids.has(id)) throw badData("/body/projects", describeUnknown("project", id, ids));
  }
  for (const name of Object.keys(environments)) {
    if (!names.has(name)) {
      throw badData("/body/environments", describeUnknown("environment", name, names));
    }
  }
  const targets = [...names].map(createLookup(environments));
  const repeated = targets.find((name, index) => name !== null && targets.indexOf(name) !== index);
  if (typeof repeated === "string") {
    throw badData(
      "/body/environments",
      `must not map two environments to ${JSON.stringify(repeated)}: leave one of them out`,
    );
  }
}

function describeUnknown(kind: string, name: string, known: ReadonlySet<string>): string {
  const list = [...known].slice(0, 20).map((one) => JSON.stringify(one));
  return `names the ${kind} ${JSON.stringify(name)}, which is not among those that were read: ${list.join(", ")}`;
}

/** Returns the names of all environments in a bundle. */
export function environmentsOf({
  environments,
  projects,
}: Pick<Bundle, "environments" | "projects">): readonly string[] {
  const used = environmentsIn(projects.flatMap(({ file }) => file.features));
  return [...new Set([...environments.map(({ name }) => name), ...used])];
}

/** Returns the names of the environments in which flags have a state. */
export function environmentsIn(flags: ProjectInBundle["file"]["features"]): readonly string[] {
  const states = flags.flatMap(({ environments = [] }) => environments);
  return [...new Set(states.map(({ name }) => name))];
}
