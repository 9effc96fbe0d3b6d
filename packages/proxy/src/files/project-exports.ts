import { isRecord } from "flags-server-kit/neutral";

/** The flags of a file, as server SDKs read them. */
export interface FlagDocument {
  readonly version: number;
  readonly features: readonly unknown[];
  readonly segments?: unknown;
}

export interface ReadDocument {
  readonly document: FlagDocument;
  readonly warnings: readonly string[];
}

export type Entry = Readonly<Record<string, unknown>>;

const VERSION = 2;

const DEFAULT_PROJECT = "default";

/** Returns the environments of an export; undefined if the document is not an export. */
export function listEnvironments(document: Entry): readonly string[] | undefined {
  const { features, featureEnvironments } = document;
  if (!Array.isArray(features)) return undefined;
  if (Array.isArray(featureEnvironments)) {
    return namesOf(entriesOf(featureEnvironments), "environment");
  }
  const flags = entriesOf(features);
  if (!flags.some(({ environments }) => Array.isArray(environments))) return undefined;
  return namesOf(
    flags.flatMap(({ environments }) => entriesOf(environments)),
    "name",
  );
}

function namesOf(entries: readonly Entry[], key: string): readonly string[] {
  const names = entries.map((entry) => entry[key]).filter((name) => typeof name === "string");
  return [...new Set(names)].toSorted();
}

export function fromExport(document: Entry, environment: string): ReadDocument {
  const features = listOf(document["features"]);
  return "featureEnvironments" in document
    ? fromUnleashExport(document, features, environment)
    : fromAdminExport(document, features, environment);
}

/** Converts an environment of an export of flags-admin, in which segments are referred to by name. */
function fromAdminExport(
  document: Entry,
  features: readonly unknown[],
  environment: string,
): ReadDocument {
  const { project = DEFAULT_PROJECT } = document;
  const segments = entriesOf(document["segments"]).map((segment, index) => ({
    id: index + 1,
    name: segment["name"],
    constraints: segment["constraints"],
  }));
  const ids = new Map(segments.map(({ id, name }) => [name, id]));
  const toClientFeature = ({ environments, dependencies, tags: _tags, ...flag }: Entry) => {
    const state = entriesOf(environments).find(({ name }) => name === environment) ?? {};
    const strategies = entriesOf(state["strategies"]).map((strategy) => ({
      ...strategy,
      // An unknown name becomes an unknown id, so that the strategy matches nobody.
      segments: listOf(strategy["segments"]).map((name) => ids.get(name) ?? 0),
    }));
    return toFeature({ project, ...flag }, { state, strategies, dependencies });
  };
  return {
    document: {
      version: VERSION,
      features: features.map((flag) => (isRecord(flag) ? toClientFeature(flag) : flag)),
      segments,
    },
    warnings: [],
  };
}

/** Converts an environment of an export of Unleash, in which the parts of flags are separate lists. */
function fromUnleashExport(
  document: Entry,
  features: readonly unknown[],
  environment: string,
): ReadDocument {
  const isHere = (entry: Entry): boolean =>
    entry["environment"] === undefined || entry["environment"] === environment;
  const states = groupBy(entriesOf(document["featureEnvironments"]).filter(isHere), "featureName");
  const strategies = groupBy(
    entriesOf(document["featureStrategies"]).filter(isHere),
    "featureName",
  );
  const parents = groupBy(entriesOf(document["dependencies"]), "feature");
  const toClientFeature = (flag: Entry) => {
    const name = flag["name"];
    const [state = {}] = states.get(name) ?? [];
    return toFeature(flag, {
      state,
      strategies: (strategies.get(name) ?? []).toSorted((a, b) => orderOf(a) - orderOf(b)),
      dependencies: (parents.get(name) ?? []).flatMap((entry) => listOf(entry["dependencies"])),
    });
  };
  const segments = entriesOf(document["segments"]);
  const known = segments.filter(({ constraints }) => Array.isArray(constraints));
  const unknown = segments.filter((segment) => !known.includes(segment));
  return {
    document: {
      version: VERSION,
      features: features
        .filter(isActive)
        .map((flag) => (isRecord(flag) ? toClientFeature(flag) : flag)),
      segments: known,
    },
    warnings: unknown.length === 0 ? [] : [describeSegments(unknown)],
  };
}

function isActive(flag: unknown): boolean {
  return !isRecord(flag) || flag["archived"] !== true;
}

function describeSegments(segments: readonly Entry[]): string {
  const names = segments.map(({ name, id }) => String(name ?? id)).join(", ");
  return `The export does not contain the constraints of its segments (${names}): strategies that use them match nobody. Add \`constraints\` to the segments, or use definitions as server SDKs read them`;
}

/** What exports contain about a flag, apart from its own fields. */
interface RelatedEntries {
  /** Whether the flag is on in the environment, and its variants there. */
  readonly state: Entry;
  readonly strategies: readonly Entry[];
  readonly dependencies: unknown;
}

function toFeature(flag: Entry, { state, strategies, dependencies }: RelatedEntries): object {
  const parents = listOf(dependencies);
  return {
    name: flag["name"],
    type: flag["type"],
    description: flag["description"],
    project: flag["project"],
    stale: flag["stale"] ?? false,
    impressionData: flag["impressionData"] ?? false,
    enabled: state["enabled"] === true,
    strategies: strategies.map(toStrategy),
    variants: listOf(state["variants"]),
    ...(parents.length > 0 && { dependencies: parents }),
  };
}

function toStrategy({ name, strategyName, disabled, segments, ...strategy }: Entry) {
  const { parameters, constraints, variants } = strategy;
  const ids = listOf(segments);
  return {
    name: name ?? strategyName,
    ...(disabled === true && { disabled }),
    parameters: parameters ?? {},
    constraints: constraints ?? [],
    variants: variants ?? [],
    ...(ids.length > 0 && { segments: ids }),
  };
}

function orderOf({ sortOrder }: Entry): number {
  return typeof sortOrder === "number" ? sortOrder : Number.MAX_SAFE_INTEGER;
}

function groupBy(entries: readonly Entry[], key: string): ReadonlyMap<unknown, readonly Entry[]> {
  const groups = new Map<unknown, Entry[]>();
  for (const entry of entries) {
    const group = groups.get(entry[key]) ?? [];
    groups.set(entry[key], group);
    group.push(entry);
  }
  return groups;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function entriesOf(value: unknown): readonly Entry[] {
  return listOf(value).filter(isRecord);
}
