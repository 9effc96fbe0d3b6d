import type { Flag, FlagEnvironment } from "../api/types.ts";

type Dependency = Flag["dependencies"][number];

/** The flag on which another one depends. */
type Parent = Pick<Flag, "name" | "archived"> & {
  readonly environments: readonly Pick<
    FlagEnvironment,
    "name" | "enabled" | "strategies" | "variants"
  >[];
};

/**
 * Says why a flag that is on in an environment is off for everyone there, because of the flag that it depends on.
 * Undefined if it may be on.
 */
export function describeBlocked(
  { enabled, variants }: Dependency,
  parent: Parent,
  environment: string,
): string | undefined {
  const state = parent.environments.find(({ name }) => name === environment);
  const isOn = !parent.archived && state?.enabled === true;
  const blocked = `Still off for everyone: it depends on ${parent.name}`;
  if (!enabled) return undefined;
  if (!isOn) return `${blocked}, which is ${parent.archived ? "archived" : "off here"}.`;
  const offered = new Set(
    [...state.variants, ...state.strategies.flatMap((strategy) => strategy.variants)].map(
      ({ name }) => name,
    ),
  );
  return variants.length === 0 || variants.some((name) => offered.has(name))
    ? undefined
    : `${blocked}, which has no such variant here.`;
}
