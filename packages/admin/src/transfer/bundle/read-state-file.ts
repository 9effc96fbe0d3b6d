import { isRecord } from "flags-server-kit/neutral";
import { badData } from "../../errors.ts";
import { groupBy } from "../../storage/database.ts";
import type { ReadBundle } from "./bundle.ts";
import { badFile } from "./describe-place.ts";
import { toBundle } from "./unleash-lists.ts";

/** The environment of flags in the first versions, which had no environments. */
const DEFAULT_ENVIRONMENT = "default";

type Entry = Readonly<Record<string, unknown>>;
type State = Readonly<Record<string, unknown>>;

/** Whether a value has the form of a state file, which servers of the versions 3 to 5 write. */
export function isStateFile(value: Entry): boolean {
  const [first] = Array.isArray(value["features"]) ? (value["features"] as unknown[]) : [];
  const { featureStrategies: parts } = value;
  const [part] = Array.isArray(parts) ? (parts as unknown[]) : [];
  const { version } = value;
  const isVersioned = typeof version === "number";
  if (isRecord(part) && "strategyName" in part) return true;
  if (parts !== undefined) return isVersioned;
  // Only state files have later versions. Its flags name no environments, unlike those of a file that was exported here.
  if (isVersioned && version > 1 && !(isRecord(first) && "environments" in first)) return true;
  return isRecord(first) && Array.isArray(first["strategies"]);
}

/**
 * Reads a state file of the versions 1 to 4. The version says where states and variants are:
 *
 * - 1: the flag has both, and its strategies; all belong to the environment `default`
 * - 2: separate lists have the states and the strategies of environments
 * - 3: so that the flag has variants for all environments
 * - 4: an environment of a flag has variants
 *
 * @throws {ApiError} that names the place and the problem, if it has another form
 */
export function readStateFile(state: State): ReadBundle {
  const version = state["version"] ?? 1;
  if (typeof version !== "number" || ![1, 2, 3, 4].includes(version)) {
    throw badData("/body/version", `must be 1, 2, 3 or 4, and is ${JSON.stringify(version)}`);
  }
  const lists = version === 1 ? readFlat(state) : readSeparate(state, version);
  return toBundle(
    { ...state, ...lists, featureTags: listOf(state, "featureTags").map(toTag) },
    { source: `state file, version ${version}`, environment: DEFAULT_ENVIRONMENT },
  );
}

function readFlat(state: State) {
  const flags = listOf(state, "features");
  return {
    featureStrategies: flags.flatMap((flag) =>
      listOf(flag, "strategies").map((strategy) => ({ ...strategy, featureName: flag["name"] })),
    ),
    featureEnvironments: flags.map(({ name, enabled, variants }) => ({
      featureName: name,
      enabled: enabled === true,
      environment: DEFAULT_ENVIRONMENT,
      variants,
    })),
  };
}

/** The lists that say for whom flags are on. Without them, all flags would be off. */
const REQUIRED_LISTS = ["featureStrategies", "featureEnvironments"] as const;

function readSeparate(state: State, version: number) {
  const missing = REQUIRED_LISTS.filter((name) => state[name] === undefined);
  if (missing.length > 0) {
    throw badFile(
      `is a state file of version ${version} without ${missing.join(" and ")}: export the complete state`,
    );
  }
  const flags = listOf(state, "features");
  const variantsOf = new Map(flags.map(({ name, variants }) => [name, variants]));
  const segmentsOf = groupBy(
    listOf(state, "featureStrategySegments"),
    ({ featureStrategyId }) => featureStrategyId,
  );
  return {
    environments: listOf(state, "environments").filter(({ name }) => name !== ALL_ENVIRONMENTS),
    featureStrategies: listOf(state, "featureStrategies").map((strategy) => ({
      ...strategy,
      name: strategy["strategyName"],
      environment: toEnvironment(strategy["environment"]),
      segments: (segmentsOf.get(strategy["id"]) ?? []).map(({ segmentId }) => segmentId),
    })),
    featureEnvironments: listOf(state, "featureEnvironments").map((one) => ({
      ...one,
      environment: toEnvironment(one["environment"]),
      variants: version < 4 ? variantsOf.get(one["featureName"]) : one["variants"],
    })),
  };
}

/** The name in version 2 of what is now the environment `default`. */
const ALL_ENVIRONMENTS = ":global:";

function toEnvironment(name: unknown): unknown {
  return name === ALL_ENVIRONMENTS ? DEFAULT_ENVIRONMENT : name;
}

function toTag({ featureName, tagType, type, tagValue, value }: Entry): Entry {
  return { featureName, tagType: tagType ?? type, tagValue: tagValue ?? value };
}

/** @throws {ApiError} if it is no list of objects */
function listOf(value: Entry, property: string): readonly Entry[] {
  const list = value[property] ?? [];
  if (Array.isArray(list) && list.every(isRecord)) return list;
  throw badData(`/body/${property}`, "must be a list of objects");
}
