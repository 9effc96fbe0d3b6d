import { adminPath, request } from "../api/request.ts";
import type { Flag } from "../api/types.ts";
import { useChange } from "../changes/use-change.ts";
import type { MenuEntry } from "../ui/menu.tsx";
import { describeCount } from "../ui/numbers.ts";

type Snoozed = Pick<Flag, "name" | "project" | "staleSnooze">;

const DAY_MS = 86_400_000;
const KEYS = [["cleanup"], ["flags"], ["flag"]] as const;

/** For how long a flag is kept; null for good. */
interface Snoozing {
  readonly flags: readonly Snoozed[];
  readonly days: number | null;
}

/** Sends what a flag has: until when it is kept, for good, or nothing. */
function sendSnooze({ project, name }: Snoozed, snooze: Flag["staleSnooze"]): Promise<unknown> {
  const path = adminPath`/projects/${project}/features/${name}/stale-snooze`;
  return snooze === null
    ? request(path, { method: "DELETE" })
    : request(path, { method: "PUT", body: snooze });
}

async function sendAll(
  flags: readonly Snoozed[],
  snoozeOf: (flag: Snoozed) => Flag["staleSnooze"],
): Promise<void> {
  for (const flag of flags) {
    // oxlint-disable-next-line no-await-in-loop -- changes run one at a time anyway
    await sendSnooze(flag, snoozeOf(flag));
  }
}

/** Returns a function that says that flags are still needed. */
export function useSnooze() {
  const change = useChange<Snoozing>({
    run: ({ flags, days }) => {
      const snooze =
        days === null
          ? { permanent: true as const }
          : { until: new Date(Date.now() + days * DAY_MS).toISOString() };
      return sendAll(flags, () => snooze);
    },
    invalidates: KEYS,
    success: ({ flags, days }) =>
      `${describeFlags(flags)} ${flags.length === 1 ? "is" : "are"} not reported as stale ${days === null ? "any more" : `for ${describeCount(days, "day")}`}`,
    undo: ({ flags }) => sendAll(flags, ({ staleSnooze }) => staleSnooze),
  });
  return change.mutate;
}

/** Returns a function that lets flags be reported again. */
export function useUnsnooze() {
  const change = useChange<readonly Snoozed[]>({
    run: (flags) => sendAll(flags, () => null),
    invalidates: KEYS,
    success: (flags) => `${describeFlags(flags)} can be reported as stale again`,
    undo: (flags) => sendAll(flags, ({ staleSnooze }) => staleSnooze),
  });
  return change.mutate;
}

interface Marking {
  readonly flags: readonly Pick<Flag, "name" | "project" | "stale">[];
  readonly stale: boolean;
}

/** Returns a function that marks flags as stale, or as active. */
export function useMark() {
  const mark = async ({ flags, stale }: Marking): Promise<void> => {
    for (const [project, names] of byProject(flags)) {
      // oxlint-disable-next-line no-await-in-loop -- changes run one at a time anyway
      await request(adminPath`/projects/${project}/stale`, {
        method: "POST",
        body: { features: names, stale },
      });
    }
  };
  const change = useChange<Marking>({
    run: mark,
    invalidates: KEYS,
    success: ({ flags, stale }) =>
      `Marked ${describeFlags(flags)} as ${stale ? "stale" : "active"}`,
    undo: (input) => mark({ ...input, stale: !input.stale }),
  });
  return change.mutate;
}

interface CleanupEntries {
  readonly mark: MenuEntry;
  readonly snooze: readonly MenuEntry[];
  /** Why the entries of `snooze` are disabled: a person has marked all flags as stale. */
  readonly noSnooze: string | undefined;
}

/** Returns the actions that mark flags, and keep them although they seem stale. */
export function useCleanupEntries(): (
  flags: readonly (Snoozed & Pick<Flag, "stale">)[],
) => CleanupEntries {
  const snooze = useSnooze();
  const mark = useMark();
  return (flags) => {
    const unmarked = flags.filter(({ stale }) => !stale);
    const noSnooze =
      unmarked.length === 0
        ? `Marked as stale by hand: mark ${flags.length === 1 ? "it" : "them"} as active first`
        : undefined;
    return {
      mark:
        noSnooze === undefined
          ? { label: "Mark as stale", run: () => mark({ flags: unmarked, stale: true }) }
          : { label: "Mark as active", run: () => mark({ flags, stale: false }) },
      snooze: [
        ...[7, 30, 90].map((days) => ({
          label: `Snooze for ${days} days`,
          disabledReason: noSnooze,
          run: () => snooze({ flags: unmarked, days }),
        })),
        {
          label: "Keep for good",
          disabledReason: noSnooze,
          run: () => snooze({ flags: unmarked, days: null }),
        },
      ],
      noSnooze,
    };
  };
}

function describeFlags(flags: readonly { readonly name: string }[]): string {
  return flags.length === 1 ? (flags[0]?.name ?? "") : describeCount(flags.length, "flag");
}

/** Returns the names of flags by project. */
export function byProject(
  flags: readonly { readonly name: string; readonly project: string }[],
): ReadonlyMap<string, readonly string[]> {
  const projects = new Map<string, string[]>();
  for (const { project, name } of flags) {
    const names = projects.get(project) ?? [];
    projects.set(project, [...names, name]);
  }
  return projects;
}
