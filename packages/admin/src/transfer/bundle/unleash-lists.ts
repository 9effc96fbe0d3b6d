import { BUILT_IN_STRATEGY_NAMES } from "flags-engine";
import { isRecord } from "flags-server-kit/neutral";
import { type Static, type TSchema, Type } from "typebox";
import { ConstraintBody } from "../../domain/constraints/check-constraints.ts";
import { CreateStrategyTypeBody } from "../../domain/strategy-types/schemas.ts";
import { CreateTagTypeBody } from "../../domain/tag-types.ts";
import { toValidationError } from "../../http/to-api-error.ts";
import { compileOnUse } from "../../http/validation.ts";
import { openObject } from "../../http/schemas.ts";
import { LIMITS } from "../../limits.ts";
import { groupBy } from "../../storage/database.ts";
import { toFeatures } from "./to-features.ts";
import {
  BundleBody,
  type Bundle,
  type ImportItem,
  leaveOut,
  type ProjectInBundle,
  type ReadBundle,
} from "./bundle.ts";
import { describingPlaces } from "./describe-place.ts";
import { ExportedData } from "./exported-data.ts";
import { environmentsIn } from "./map-bundle.ts";

const text = Type.Optional(Type.String());
const {
  features,
  featureEnvironments: _states,
  segments: _names,
  ...lists
} = ExportedData.properties;

/** What Unleash servers and their files contain, as separate lists: flags and parts of flags, and what they refer to. */
const UnleashLists = openObject("unleashListsSchema", {
  ...lists,
  features: Type.Array(openObject("", { ...features.items.properties, project: text }), {
    maxItems: LIMITS.features,
  }),
  featureEnvironments: Type.Optional(
    Type.Array(_states.items, { maxItems: LIMITS.features * LIMITS.environments }),
  ),
  segments: Type.Optional(
    Type.Array(
      openObject("", {
        id: Type.Integer(),
        name: text,
        description: text,
        project: text,
        /** Absent in an environment export, which contains only names. */
        constraints: Type.Optional(Type.Array(ConstraintBody)),
      }),
    ),
  ),
  strategies: Type.Optional(
    Type.Array(
      openObject("", {
        name: Type.String(),
        title: text,
        description: text,
        parameters: Type.Optional(Type.Array(openObject("", { name: Type.String() }))),
      }),
    ),
  ),
  projects: Type.Optional(
    Type.Array(
      openObject("", {
        id: Type.String(),
        name: text,
        description: text,
        defaultStickiness: text,
        /** Names. By default, those where its flags have a state. */
        environments: Type.Optional(Type.Array(Type.String())),
      }),
    ),
  ),
  environments: Type.Optional(
    Type.Array(
      openObject("", {
        name: Type.String(),
        type: text,
        sortOrder: Type.Optional(Type.Integer()),
        enabled: Type.Optional(Type.Boolean()),
      }),
    ),
  ),
});

export type UnleashLists = Static<typeof UnleashLists>;

const findViolations = compileOnUse(UnleashLists);

/** What the lists do not say. */
interface ListsOptions {
  readonly source: string;
  /** Where states and strategies belong that name no environment. */
  readonly environment: string;
  /** Whether they belong there even if they name another one. @default false */
  readonly isOnlyEnvironment?: boolean;
  readonly leftOut?: readonly ImportItem[];
}

/**
 * Checks lists and converts them to a bundle.
 *
 * @param unchecked their properties that are null count as absent
 * @throws {ApiError} that names the place and the problem, if they do not have this form
 */
export function toBundle(
  unchecked: unknown,
  { source, environment, isOnlyEnvironment = false, leftOut = [] }: ListsOptions,
): ReadBundle {
  const data = withoutNulls(unchecked) as UnleashLists;
  describingPlaces(data, () => {
    const violations = findViolations(data);
    if (violations !== undefined) throw toValidationError("/body", violations);
  });
  const archived = data.features.filter((flag) => flag.archived === true);
  const flags = toFeatures(data, {
    environment,
    isOnlyEnvironment,
    skipped: new Set(archived.map(({ name }) => name)),
  });
  const projectOf = new Map(data.features.map(({ name, project }) => [name, project ?? "default"]));
  const flagsOf = groupBy(flags, ({ name }) => projectOf.get(name) ?? "default");
  const described = new Map((data.projects ?? []).map((project) => [project.id, project] as const));
  const projects = [...new Set([...described.keys(), ...flagsOf.keys()])].map(
    (id): ProjectInBundle => {
      const known = pick(described.get(id) ?? ({ id } satisfies ListedProject as ListedProject), [
        "name",
        "description",
        "defaultStickiness",
        "environments",
      ]);
      const features = (flagsOf.get(id) ?? []).map(toFlag);
      return { ...known, id, file: { version: 1, features } };
    },
  );
  return {
    source,
    environments: listEnvironments(data, flags),
    projects,
    definitions: toDefinitions(data),
    leftOut: [
      ...leftOut,
      ...archived.map(({ name }) => leaveOut("archived flag", name, "is not imported")),
      ...listLinks(data),
    ],
  };
}

type ListedProject = NonNullable<UnleashLists["projects"]>[number];
type FlagInFile = ProjectInBundle["file"]["features"][number];

/** NOTE: the file says that a flag without a description has none. */
function toFlag(flag: FlagInFile): FlagInFile {
  return {
    ...flag,
    description: flag.description ?? null,
    environments: (flag.environments ?? []).map(({ variants, strategies, ...state }) => ({
      ...state,
      strategies: strategies.map((strategy) => ({
        ...strategy,
        ...(strategy.variants !== undefined && { variants: strategy.variants.map(toVariant) }),
      })),
      ...(variants !== undefined && { variants: variants.map(toVariant) }),
    })),
  };
}

/** Removes what variants of other versions have, such as overrides of variants of strategies. */
function toVariant<Variant extends object>(variant: Variant): Variant {
  const { overrides, ...known } = pick(variant as Readonly<Record<string, unknown>>, [
    "name",
    "weight",
    "weightType",
    "stickiness",
    "payload",
    "overrides",
  ]);
  const isEmpty = Array.isArray(overrides) && overrides.length === 0;
  return { ...known, ...(overrides !== undefined && !isEmpty && { overrides }) } as Variant;
}

/** Lists the environments in use, and others that are enabled. */
function listEnvironments(data: UnleashLists, flags: FlagInFile[]) {
  const used = environmentsIn(flags);
  const ofProjects = (data.projects ?? []).flatMap(({ environments = [] }) => environments);
  const inUse = new Set([...ofProjects, ...used]);
  const described = (data.environments ?? []).filter(
    ({ name, enabled = true }) => enabled || inUse.has(name),
  );
  const names = new Set(described.map(({ name }) => name));
  return [
    ...described.map(({ name, type = "development", sortOrder, enabled }) => ({
      name,
      type,
      ...(sortOrder !== undefined && { sortOrder }),
      ...(enabled !== undefined && { enabled }),
    })),
    ...describeEnvironments([...inUse].filter((name) => !names.has(name))),
  ];
}

/** Chooses the types of environments of which only the names are known. */
export function describeEnvironments(names: readonly string[]) {
  return names.map((name) => ({
    name,
    type: name === "production" ? "production" : "development",
  }));
}

const BUILT_IN: ReadonlySet<string> = new Set(BUILT_IN_STRATEGY_NAMES);

function toDefinitions(data: UnleashLists): Bundle["definitions"] {
  const { definitions } = BundleBody.properties;
  return {
    contextFields: (data.contextFields ?? []).map((field) =>
      pickKnown(definitions.properties.contextFields.items, field),
    ),
    segments: (data.segments ?? []).flatMap(({ name, constraints, description = null, ...rest }) =>
      name === undefined || constraints === undefined
        ? []
        : [{ ...pick(rest, ["project"]), name, constraints, description }],
    ),
    tagTypes: (data.tagTypes ?? []).map((type) => pickKnown(CreateTagTypeBody, type)),
    strategyTypes: (data.strategies ?? [])
      .filter(({ name }) => !BUILT_IN.has(name))
      .map((type) => ({
        ...pick(type, ["name", "title", "description"]),
        name: type.name,
        parameters: (type.parameters ?? []).map((parameter) =>
          pickKnown(ParameterInFile, parameter),
        ),
      })),
  };
}

const ParameterInFile = CreateStrategyTypeBody.properties.parameters.items;

function listLinks({ links = [] }: UnleashLists): ImportItem[] {
  return links
    .filter((ofFlag) => ofFlag.links.length > 0)
    .map(({ feature }) =>
      leaveOut("links of flag", feature, "cannot be imported: add them to the flag here"),
    );
}

interface ObjectSchema extends TSchema {
  readonly properties: Readonly<Record<string, TSchema>>;
}

/** Returns the properties of a value that a schema has. Whether it matches the schema is checked with the bundle. */
function pickKnown<Schema extends ObjectSchema>(
  { properties }: Schema,
  value: object,
): Static<Schema> {
  const known = Object.entries(value).filter(([key]) => Object.hasOwn(properties, key));
  return Object.fromEntries(known) as Static<Schema>;
}

function pick<Value extends object, Key extends keyof Value & string>(
  value: Value,
  keys: readonly Key[],
): Pick<Value, Key> {
  const known = keys.filter((key) => value[key] !== undefined).map((key) => [key, value[key]]);
  return Object.fromEntries(known) as Pick<Value, Key>;
}

/** Removes properties that are null, which other versions omit. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isRecord(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  return Object.fromEntries(members.map(([key, member]) => [key, withoutNulls(member)]));
}
