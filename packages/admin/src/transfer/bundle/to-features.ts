import { findStrategyType } from "flags-engine";
import { groupBy } from "../../storage/database.ts";
import { environmentKey } from "../project-file/import-target.ts";
import type { FeatureInFile, StrategyInFile } from "../project-file/schemas.ts";
import type { ExportedData } from "./exported-data.ts";

type Flag = ExportedData["features"][number];
type Tags = NonNullable<ExportedData["featureTags"]>;
type Parents = NonNullable<ExportedData["dependencies"]>[number]["dependencies"];

/** What an import contains about a flag in other lists. */
interface Relations {
  /** Undefined if the import has no tags at all, so that existing ones stay. */
  readonly tags: Tags | undefined;
  /** Undefined if the dependency of the flag stays as it is. */
  readonly parents: Parents | undefined;
}

type Indexed<T> = T & { readonly index: number };

interface Conversion {
  /** The environment of states and strategies that do not name one. */
  readonly environment: string;
  /**
   * Whether all states and strategies belong to this environment, even if they name another one.
   *
   * @default each belongs to the one that it names
   */
  readonly isOnlyEnvironment?: boolean;
  /** Names of flags to omit. @default none */
  readonly skipped?: ReadonlySet<string>;
}

interface EnvironmentOfPart {
  readonly environment?: string | undefined;
}

/** Converts flags whose parts are separate lists to the form in project files. */
export function toFeatures(
  data: ExportedData,
  { environment, isOnlyEnvironment = false, skipped = new Set() }: Conversion,
): FeatureInFile[] {
  const keyOf = (part: EnvironmentOfPart & { readonly featureName: string }) =>
    environmentKey(
      part.featureName,
      isOnlyEnvironment ? environment : (part.environment ?? environment),
    );
  const strategiesAt = groupBy(withIndexes(data.featureStrategies), keyOf);
  const states = data.featureEnvironments ?? [];
  const stateAt = new Map(states.map((state) => [keyOf(state), state]));
  const environmentsOf = groupBy(new Set([...strategiesAt.keys(), ...stateAt.keys()]), (key) =>
    key.slice(0, key.indexOf("/")),
  );
  const segmentName = new Map((data.segments ?? []).map(({ id, name }) => [id, name]));
  const tagsOf = groupBy(data.featureTags ?? [], ({ featureName }) => featureName);
  const parentsOf = groupBy(data.dependencies ?? [], ({ feature }) => feature);
  const wanted = data.features.filter(({ name }) => !skipped.has(name));

  const toEnvironment = (key: string) => {
    const strategies = sortStrategies(strategiesAt.get(key) ?? []);
    const state = stateAt.get(key);
    const enabled = state?.enabled ?? false;
    const converted = strategies.map((strategy) => convertStrategy(strategy, segmentName));
    return {
      name: key.slice(key.indexOf("/") + 1),
      enabled,
      strategies: withDefaultStrategy(converted, enabled),
      ...(state?.variants !== undefined && { variants: state.variants }),
    };
  };
  return wanted.map((feature) => {
    const keys = isOnlyEnvironment
      ? [environmentKey(feature.name, environment)]
      : (environmentsOf.get(feature.name) ?? []);
    return {
      ...convertFeature(feature, {
        tags: data.featureTags === undefined ? undefined : (tagsOf.get(feature.name) ?? []),
        parents: parentsOf.get(feature.name)?.flatMap(({ dependencies }) => dependencies),
      }),
      environments: keys.map(toEnvironment),
    };
  });
}

function withIndexes<T extends object>(items: readonly T[]): readonly Indexed<T>[] {
  return items.map((item, index) => ({ ...item, index }));
}

function convertFeature(
  { name, type, description, stale, impressionData }: Flag,
  { tags, parents }: Relations,
) {
  return {
    name,
    ...(type !== undefined && { type }),
    ...(description !== undefined && { description }),
    ...(stale !== undefined && { stale }),
    ...(impressionData !== undefined && { impressionData }),
    ...(tags !== undefined && {
      tags: tags.map(({ tagType = "simple", tagValue }) => ({ type: tagType, value: tagValue })),
    }),
    ...(parents !== undefined && { dependencies: parents.slice(0, 1) }),
  };
}

type Strategy = Indexed<ExportedData["featureStrategies"][number]>;

function sortStrategies(strategies: readonly Strategy[]): readonly Strategy[] {
  return strategies.toSorted((a, b) => (a.sortOrder ?? a.index) - (b.sortOrder ?? b.index));
}

function convertStrategy(
  { name, title, disabled, parameters, constraints, variants, segments = [] }: Strategy,
  segmentName: ReadonlyMap<number, string | undefined>,
): StrategyInFile {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(disabled !== undefined && { disabled }),
    ...(parameters !== undefined && { parameters: withWholePercentage(name, parameters) }),
    ...(constraints !== undefined && { constraints }),
    ...(variants !== undefined && { variants }),
    segments: segments.map((id) => segmentName.get(id) ?? String(id)),
  };
}

/** Removes the fraction of a percentage, which has no effect: users are divided into 100 groups. */
function withWholePercentage(
  strategy: string,
  parameters: NonNullable<Strategy["parameters"]>,
): NonNullable<Strategy["parameters"]> {
  const type = findStrategyType(strategy);
  if (type?.kind !== "rollout") return parameters;
  const name = type.parameter;
  const text = String(parameters[name]);
  if (!/^\d*\.\d+$/.test(text)) return parameters;
  return { ...parameters, [name]: Math.floor(Number(text)) };
}

/** Adds a strategy for everyone to a flag that is on without enabled strategies, as which SDKs evaluate it. */
function withDefaultStrategy(strategies: StrategyInFile[], enabled: boolean): StrategyInFile[] {
  if (!enabled || strategies.some(({ disabled }) => disabled !== true)) return strategies;
  return [...strategies, { name: "flexibleRollout", parameters: { rollout: "100" } }];
}
