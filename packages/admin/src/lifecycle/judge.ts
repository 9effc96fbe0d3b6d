import type { FlagValue, StaleReason } from "../storage/schema/lifecycles.ts";
import type { Evidence } from "./evidence.ts";

interface Window {
  /** Start of the first of the 30 days, in milliseconds since 1970. */
  readonly firstDay: number;
  /** The environments whose silence means something. */
  readonly reporting: ReadonlySet<string>;
}

/** What SDKs report as the variant of a flag without one. */
const NO_VARIANT = "disabled";

/**
 * Decides whether a flag can probably be removed.
 *
 * The environments of type `production` decide, or all if there are none: in others, flags are tried out. A flag that was
 * never used there is being prepared, and an environment that reports nothing says nothing. A flag that any environment uses is
 * not unused, and one that is off in production but on elsewhere is being prepared.
 *
 * @param evidence of one flag, for each of its environments
 */
export function judge(
  evidence: readonly Evidence[],
  { firstDay, reporting }: Window,
): StaleReason | null {
  const inProduction = evidence.filter(({ isProduction }) => isProduction);
  const deciding = inProduction.length > 0 ? inProduction : evidence;
  const seen = deciding.filter(({ seenAt }) => seenAt !== null);
  if (seen.length === 0 || !seen.every(({ environment }) => reporting.has(environment))) {
    return null;
  }
  const isUsed = ({ seenAt }: Evidence): boolean => seenAt !== null && seenAt >= firstDay;
  if (!evidence.some(isUsed)) {
    const since = Math.max(...evidence.map(({ seenAt }) => seenAt ?? 0));
    return { kind: "unused", since: toText(since), environments: namesOf(seen) };
  }
  return judgeResults(deciding.filter(isUsed), evidence, firstDay);
}

function judgeResults(
  used: readonly Evidence[],
  all: readonly Evidence[],
  firstDay: number,
): StaleReason | null {
  const values = used.map((one) => toConstant(one, firstDay));
  const [value] = values;
  if (value === undefined || values.some((other) => !isSame(other, value))) return null;
  const isOnElsewhere = all.some(({ lastOn }) => lastOn !== null && lastOn >= firstDay);
  if (!value.enabled && isOnElsewhere) return null;
  const since = Math.max(...used.map((one) => one.since ?? 0));
  return { kind: "constant", since: toText(since), environments: namesOf(used), value };
}

/** Returns the only result of 30 days; undefined if there was another one, or the first report is not so old. */
function toConstant(
  { lastDay, lastOn, lastOff, since, variant }: Evidence,
  firstDay: number,
): FlagValue | undefined {
  const isOld = since !== null && since <= firstDay;
  if (!isOld || lastDay === null || lastDay < firstDay) return undefined;
  const enabled = lastOn !== null && lastOn > (lastOff ?? -Infinity);
  const hasVariant = enabled && variant !== null && variant !== NO_VARIANT;
  return { enabled, ...(hasVariant && { variant }) };
}

function isSame(one: FlagValue | undefined, other: FlagValue): boolean {
  return one?.enabled === other.enabled && one.variant === other.variant;
}

function namesOf(evidence: readonly Evidence[]): readonly string[] {
  return evidence.map(({ environment }) => environment).toSorted();
}

function toText(time: number): string {
  return new Date(time).toISOString();
}
