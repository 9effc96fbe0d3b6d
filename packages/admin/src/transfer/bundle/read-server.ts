import { isRecord } from "flags-server-kit/neutral";
import { LIMITS } from "../../limits.ts";
import { type Bundle, type ImportItem, leaveOut, type ReadBundle } from "./bundle.ts";
import { completeBundle } from "./read-bundle.ts";
import { toBundle } from "./unleash-lists.ts";
import { type UnleashClient, UnleashServerError } from "./unleash-client.ts";

type Entry = Readonly<Record<string, unknown>>;

/** Flags that are read at the same time. */
const CONCURRENCY = 4;
/** Archived flags in a page of the search. */
const PAGE_SIZE = 100;

/**
 * Reads everything from a running Unleash server that can be imported. Flags are read one by one: an export of the server
 * would not contain the order of strategies, in which SDKs evaluate them.
 *
 * @param onlyProjects ids. The open-source edition lists only the project `default`, but an admin token can read others.
 * @throws {UnleashServerError} if the server cannot be read
 * @throws {ApiError} that names the place and the problem, if something has an unexpected form
 */
export async function readServer(
  client: UnleashClient,
  onlyProjects: readonly string[] | undefined,
): Promise<Bundle> {
  const described = listIn(await client.get("/projects"), "projects");
  const ids = onlyProjects ?? described.map(({ id }) => String(id));
  const segments = listIn(await client.find("/segments"), "segments");
  const projects: ReadProject[] = [];
  for (const id of ids) {
    // oxlint-disable-next-line no-await-in-loop -- a server that people use is read gently
    projects.push(
      await readProject(
        client,
        id,
        described.find((one) => one["id"] === id),
      ),
    );
  }
  const flags = projects.flatMap((project) => project.flags);
  const environments = new Map<unknown, Entry>();
  for (const one of [
    ...projects.flatMap((project) => project.environments),
    ...listIn(await client.get("/environments"), "environments"),
  ]) {
    environments.set(one["name"], { ...environments.get(one["name"]), ...one });
  }
  const bundle = toBundle(
    {
      projects: projects.map(({ project }) => project),
      environments: [...environments.values()],
      segments,
      strategies: listIn(await client.get("/strategies"), "strategies").filter(
        ({ editable }) => editable === true,
      ),
      contextFields: (await readContextFields(client)).map(toContextField),
      tagTypes: listIn(await client.find("/tag-types"), "tagTypes"),
      ...toLists(flags),
    },
    {
      source: `Unleash server ${client.url}`,
      environment: "default",
      leftOut: [...(await listArchived(client, ids)), ...NEVER_READ],
    },
  );
  return completeBundle(withDefaultStrategies(bundle, projects, segments));
}

/** What every server has, and no import reads. */
const NEVER_READ: readonly ImportItem[] = [
  leaveOut("users and their roles", "", "create the accounts here"),
  leaveOut("API tokens", "", "create tokens here, or list the same ones in the settings"),
  leaveOut("change requests", "", "apply them there before the import"),
  leaveOut("events and usage", "", "the history begins with the import"),
];

interface ReadProject {
  readonly project: Entry;
  /** With their types. */
  readonly environments: readonly Entry[];
  readonly defaultStrategies: readonly Entry[];
  readonly flags: readonly ReadFlag[];
}

interface ReadFlag {
  /** With its environments and their strategies. */
  readonly flag: Entry;
  readonly tags: readonly Entry[];
}

async function readProject(
  client: UnleashClient,
  id: string,
  described: Entry | undefined,
): Promise<ReadProject> {
  const path = `/projects/${encodeURIComponent(id)}`;
  const overview =
    toEntry(await client.find(`${path}/overview`)) ?? toEntry(await client.find(path));
  if (overview === undefined && described === undefined) {
    throw new UnleashServerError(`${client.url} has no project ${JSON.stringify(id)}`);
  }
  const listed = listIn(await client.get(`${path}/features`), "features");
  if (listed.length > LIMITS.features) {
    throw new UnleashServerError(
      `The project ${JSON.stringify(id)} has ${listed.length} flags, and an import can have ${LIMITS.features}`,
    );
  }
  const flags: ReadFlag[] = [];
  for (let start = 0; start < listed.length; start += CONCURRENCY) {
    const batch = listed.slice(start, start + CONCURRENCY).map(async ({ name, tags }) => ({
      flag: await readFlag(client, id, String(name)),
      tags: toList(tags),
    }));
    // oxlint-disable-next-line no-await-in-loop -- a server that people use is read gently
    flags.push(...(await Promise.all(batch)));
  }
  const ofFlags = flags.flatMap(({ flag }) => toList(flag["environments"]));
  const known = toList(overview?.["environments"]);
  const { name, description, defaultStickiness } = { ...described, ...overview };
  return {
    project: {
      id,
      name,
      description,
      defaultStickiness,
      environments: known.map((one) => one["environment"] ?? one["name"]),
    },
    environments: ofFlags.map((one) => ({
      name: one["name"],
      type: one["type"],
      sortOrder: one["sortOrder"],
    })),
    defaultStrategies: known.flatMap((one) =>
      isRecord(one["defaultStrategy"])
        ? [{ ...one["defaultStrategy"], environment: one["environment"], featureName: id }]
        : [],
    ),
    flags,
  };
}

/** Reads a flag with its environments, including variants. */
async function readFlag(client: UnleashClient, project: string, name: string): Promise<Entry> {
  const path = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
  const flag = toEntry(await client.get(`${path}?variantEnvironments=true`));
  return { ...flag, project };
}

/** Converts flags that contain their parts to the lists of an export. */
function toLists(read: readonly ReadFlag[]) {
  const states = read.flatMap(({ flag }) =>
    toList(flag["environments"]).map((state) => ({ state, featureName: flag["name"] })),
  );
  return {
    features: read.map(({ flag }) => flag),
    featureEnvironments: states.map(({ state, featureName }) => ({
      featureName,
      environment: state["name"],
      enabled: state["enabled"],
      variants: state["variants"],
    })),
    featureStrategies: states.flatMap(({ state, featureName }) =>
      toList(state["strategies"]).map((strategy) => ({
        ...strategy,
        featureName,
        environment: state["name"],
      })),
    ),
    featureTags: read.flatMap(({ flag, tags }) =>
      tags.map(({ type, value }) => ({
        featureName: flag["name"],
        tagType: type,
        tagValue: value,
      })),
    ),
    dependencies: read.map(({ flag }) => ({
      feature: flag["name"],
      dependencies: toList(flag["dependencies"]),
    })),
    links: read.map(({ flag }) => ({ feature: flag["name"], links: toList(flag["links"]) })),
  };
}

/** Adds the default strategies of projects, whose lists of segments have ids. */
function withDefaultStrategies(
  bundle: ReadBundle,
  read: readonly ReadProject[],
  segments: readonly Entry[],
): ReadBundle {
  // As strategies of flags with the names of the projects.
  const all = read.flatMap(({ defaultStrategies }) => defaultStrategies);
  if (all.length === 0) return bundle;
  const ids = [...new Set(all.map(({ featureName }) => featureName))];
  const { projects } = toBundle(
    { features: ids.map((name) => ({ name })), featureStrategies: all, segments },
    { source: "", environment: "default" },
  );
  const flags = new Map(
    projects.flatMap(({ file }) => file.features.map((flag) => [flag.name, flag])),
  );
  return {
    ...bundle,
    projects: bundle.projects.map((project) => {
      const environments = flags.get(project.id)?.environments ?? [];
      const defaultStrategies = environments.flatMap(({ name: environment, strategies }) =>
        strategies.map(({ disabled: _disabled, ...strategy }) => ({ ...strategy, environment })),
      );
      if (defaultStrategies.length === 0) return project;
      return { ...project, file: { ...project.file, defaultStrategies } };
    }),
  };
}

async function readContextFields(client: UnleashClient): Promise<readonly Entry[]> {
  return toList(await client.get("/context?include=project"));
}

function toContextField({ legalValues, ...field }: Entry): Entry {
  // Old versions have texts.
  const values = Array.isArray(legalValues) ? (legalValues as unknown[]) : [];
  return {
    ...field,
    legalValues: values.map((value) => (typeof value === "string" ? { value } : value)),
  };
}

/** Lists archived flags page by page; in old versions by project. */
async function listArchived(
  client: UnleashClient,
  projects: readonly string[],
): Promise<readonly ImportItem[]> {
  const found: Entry[] = [];
  for (let offset = 0; offset < LIMITS.features; offset += PAGE_SIZE) {
    // oxlint-disable-next-line no-await-in-loop -- each page says whether there is another
    const page = await client.find(
      `/search/features?archived=${encodeURIComponent("IS:true")}&offset=${offset}&limit=${PAGE_SIZE}`,
      // The search of some versions is not complete.
      [400, 403],
    );
    if (page === undefined) return listArchivedByProject(client, projects);
    const entries = listIn(page, "features");
    found.push(...entries);
    if (entries.length < PAGE_SIZE) break;
  }
  return found
    .filter(({ project }) => projects.includes(String(project)))
    .map(({ name, project }) =>
      leaveOut("archived flag", String(name), "is not imported", String(project)),
    );
}

async function listArchivedByProject(
  client: UnleashClient,
  projects: readonly string[],
): Promise<readonly ImportItem[]> {
  const items: ImportItem[] = [];
  for (const project of projects) {
    // oxlint-disable-next-line no-await-in-loop -- a server that people use is read gently
    const answer = await client.find(`/archive/features/${encodeURIComponent(project)}`);
    for (const { name } of listIn(answer, "features")) {
      items.push(leaveOut("archived flag", String(name), "is not imported", project));
    }
  }
  return items;
}

function listIn(answer: unknown, property: string): readonly Entry[] {
  return toList(isRecord(answer) ? answer[property] : undefined);
}

function toList(value: unknown): readonly Entry[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function toEntry(value: unknown): Entry | undefined {
  return isRecord(value) ? value : undefined;
}
