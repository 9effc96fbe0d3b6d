import type { FlagSummary } from "../api/types.ts";

export type TimeColumn = "lastSeenAt" | "createdAt";

export const TIME_LABELS: Readonly<Record<TimeColumn, string>> = {
  lastSeenAt: "Last used",
  createdAt: "Created",
};

const TIMES: readonly TimeColumn[] = ["lastSeenAt", "createdAt"];

/** The columns of a list of flags after the name. */
export interface FlagColumns {
  readonly environments: readonly EnvironmentColumn[];
  readonly times: readonly TimeColumn[];
}

interface EnvironmentColumn {
  readonly name: string;
  /** Whether its type is production, so that a change affects real users. */
  readonly isProduction: boolean;
}

/** Returns all columns for flags, with the environments in their order. */
export function columnsOf(flags: readonly FlagSummary[]): FlagColumns {
  const environments = new Map(
    flags.flatMap((flag) =>
      flag.environments.map((environment) => [environment.name, environment]),
    ),
  );
  return {
    environments: [...environments.values()]
      .toSorted((a, b) => a.sortOrder - b.sortOrder)
      .map(({ name, type }) => ({ name, isProduction: type === "production" })),
    times: TIMES,
  };
}

const ENVIRONMENT = "environment:";

/** Returns the ids and names of columns that can be hidden. */
export function hideableColumns({ environments, times }: FlagColumns) {
  return [
    ...environments.map(({ name }) => ({ id: ENVIRONMENT + name, label: name })),
    ...times.map((id) => ({ id, label: TIME_LABELS[id] })),
  ];
}

/** Returns the columns without those with the ids. */
export function withoutColumns(
  { environments, times }: FlagColumns,
  hidden: ReadonlySet<string>,
): FlagColumns {
  return {
    environments: environments.filter(({ name }) => !hidden.has(ENVIRONMENT + name)),
    times: times.filter((id) => !hidden.has(id)),
  };
}
