// Compares what the service finds with a plain oracle, over a year of random reports.

import { isDeepStrictEqual } from "node:util";
import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { findStaleFlags } from "../src/lifecycle/find-stale-flags.ts";
import { DEFAULT_RETENTION, deleteExpired } from "../src/retention.ts";
import { rowsOf } from "../src/storage/database.ts";
import type { Storage } from "../src/storage/storage.ts";
import { type Service, useService } from "./_service.ts";
import { describeStorages } from "./_storages.ts";

const DAY_MS = 86_400_000;
const YEAR = 365;
/** When the service looks, as a part of the day. */
const TIME_OF_DAY = 0.75;
const FLAGS = fuzzRuns(50, 300);
const FIRST_DAY = Date.parse("2025-11-20T00:00:00Z");
const KEPT_DAYS = DEFAULT_RETENTION.usageDays;

const LIFETIMES: Readonly<Record<string, number>> = { release: 40, operational: 7, sunset: 90 };
const TYPES = ["release", "release", "operational", "sunset", "kill-switch", "permission"];
/** By project. */
const ENVIRONMENTS: Readonly<Record<string, readonly string[]>> = {
  default: ["development", "production", "production-eu"],
  plain: ["development", "staging"],
};
const PRODUCTION = ["production", "production-eu"];

type Pick = <T>(values: readonly [T, ...T[]]) => T;

/** Returns a generator of numbers from 0 up to 1, always the same ones (mulberry32). */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = Math.trunc(state + 0x6d_2b_79_f5);
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

interface Report {
  readonly day: number;
  readonly yes: number;
  readonly no: number;
  readonly variants: readonly string[];
}

interface RandomFlag {
  readonly name: string;
  readonly type: string;
  readonly project: string;
  readonly createdDay: number;
  readonly isMarked: boolean;
  readonly isPermanent: boolean;
  readonly snoozedUntilDay: number | null;
  readonly completedDay: number | null;
  readonly archivedDay: number | null;
  readonly reports: ReadonlyMap<string, readonly Report[]>;
}

const BEHAVIOURS = [
  "none",
  "none",
  "none",
  "on",
  "on",
  "off",
  "off",
  "mixed",
  "blue",
  "blue",
  "red",
  "both",
  "plain",
] as const;

type Behaviour = (typeof BEHAVIOURS)[number];

const REPORTS: Readonly<Record<Behaviour, Omit<Report, "day"> | undefined>> = {
  none: undefined,
  on: { yes: 3, no: 0, variants: [] },
  off: { yes: 0, no: 2, variants: ["disabled"] },
  mixed: { yes: 1, no: 1, variants: [] },
  both: { yes: 2, no: 0, variants: ["blue", "red"] },
  plain: { yes: 1, no: 0, variants: ["disabled"] },
  blue: { yes: 1, no: 0, variants: ["blue"] },
  red: { yes: 1, no: 0, variants: ["red"] },
};

function createFlags(random: () => number): readonly RandomFlag[] {
  const pick: Pick = (values) => values[Math.floor(random() * values.length)] ?? values[0];
  const maybeDay = (chance: number): number | null =>
    random() < chance ? Math.floor(random() * YEAR) : null;
  return Array.from({ length: FLAGS }, (_, index): RandomFlag => {
    const project = pick(["default", "default", "plain"]);
    const createdDay = Math.floor(random() * 200);
    /** Many flags behave alike in all environments. */
    const shared = random() < 0.5 ? createBehaviours(random, createdDay) : undefined;
    const reports = (ENVIRONMENTS[project] ?? []).map((environment): [string, Report[]] => {
      const chance = pick([0.1, 0.5, 1]);
      const behaviours = shared ?? createBehaviours(random, createdDay);
      const isUsed = random() < 0.8;
      const sent = behaviours.flatMap((behaviour, day) => {
        const report = REPORTS[behaviour];
        const isSent = isUsed && random() < chance && !isSilent(environment, day);
        return report !== undefined && isSent ? { day, ...report } : [];
      });
      return [environment, sent];
    });
    return {
      name: `flag-${index}`,
      type: pick(TYPES as [string, ...string[]]),
      project,
      createdDay,
      isMarked: random() < 0.05,
      isPermanent: random() < 0.05,
      snoozedUntilDay: maybeDay(0.1),
      completedDay: maybeDay(0.1),
      archivedDay: maybeDay(0.1),
      reports: new Map(reports),
    };
  });
}

/** Returns what a flag does on each day: it changes every few weeks. */
function createBehaviours(random: () => number, createdDay: number): Behaviour[] {
  const days: Behaviour[] = Array.from({ length: createdDay }, () => "none");
  while (days.length < YEAR) {
    const behaviour = BEHAVIOURS[Math.floor(random() * BEHAVIOURS.length)] ?? "none";
    const length = 1 + Math.floor(random() * 120);
    for (let day = 0; day < length && days.length < YEAR; day++) days.push(behaviour);
  }
  return days;
}

/** Nothing reports in an environment for some months. */
function isSilent(environment: string, day: number): boolean {
  return (
    (environment === "production-eu" && day > 180 && day < 260) ||
    (environment === "production" && day > 280 && day < 300) ||
    (environment === "staging" && day > 300)
  );
}

interface Found {
  readonly potentiallyStale: boolean;
  readonly reason: Reason | null;
}

interface Reason {
  readonly kind: string;
  readonly since: string;
  readonly environments: readonly string[];
  readonly value?: { readonly enabled: boolean; readonly variant?: string };
}

const toTime = (day: number): string => new Date(FIRST_DAY + day * DAY_MS).toISOString();

/** What should be found on a day, from all reports until then. */
function expectFound(
  flag: RandomFlag,
  today: number,
  all: readonly RandomFlag[],
  before: Reason | null,
): Found {
  const nothing = { potentiallyStale: false, reason: null };
  const has = (day: number | null): boolean => day !== null && day <= today;
  if (has(flag.archivedDay) || has(flag.completedDay)) return nothing;
  if (!flag.isMarked) {
    const isSnoozed = flag.snoozedUntilDay !== null && flag.snoozedUntilDay > today;
    const isTooOld = today + TIME_OF_DAY - flag.createdDay > (LIFETIMES[flag.type] ?? Infinity);
    if (flag.isPermanent || isSnoozed || !isTooOld) return nothing;
  }
  const reason = findReason(flag, today, all);
  if (reason === null) return nothing;
  const kept = before !== null && isContinued(flag, today, before, reason) ? before : reason;
  return { potentiallyStale: !flag.isMarked, reason: kept };
}

function findReason(flag: RandomFlag, today: number, all: readonly RandomFlag[]): Reason | null {
  const begin = today - 30;
  const known = Array.from(flag.reports, ([environment, reports]) => ({
    environment,
    reports: reports.filter(({ day }) => day <= today),
  }));
  const production = known.filter(({ environment }) => PRODUCTION.includes(environment));
  const deciding = (flag.project === "default" ? production : known).filter(
    ({ reports }) => reports.length > 0,
  );
  if (deciding.length === 0) return null;
  if (deciding.some(({ environment }) => countReported(environment, today, all) < 15)) return null;
  const last = Math.max(...known.flatMap(({ reports }) => reports.map(({ day }) => day)));
  if (last < begin) {
    return { kind: "unused", since: toTime(last + 0.5), environments: namesOf(deciding) };
  }
  const isOnSomewhere = known.some(({ reports }) =>
    reports.some(({ day, yes }) => day >= begin && yes > 0),
  );
  const reason = findConstant(deciding, today);
  return reason?.value?.enabled === false && isOnSomewhere ? null : reason;
}

/** On how many of the last days an environment has reported anything. */
function countReported(environment: string, today: number, all: readonly RandomFlag[]): number {
  const days = all.flatMap((flag) =>
    (flag.reports.get(environment) ?? []).flatMap(({ day }) =>
      day >= today - 30 && day <= today ? day : [],
    ),
  );
  return new Set(days).size;
}

interface Known {
  readonly environment: string;
  readonly reports: readonly Report[];
}

const namesOf = (list: readonly Known[]): string[] =>
  list.map(({ environment }) => environment).toSorted();

function findConstant(deciding: readonly Known[], today: number): Reason | null {
  const begin = today - 30;
  const used = deciding.filter(({ reports }) => reports.some(({ day }) => day >= begin));
  const runs = used.map(({ reports }) => findRun(reports, today));
  const [run] = runs;
  if (run === undefined) return null;
  for (const other of runs) {
    if (other === undefined || other.first > begin) return null;
    if (other.enabled !== run.enabled || other.variant !== run.variant) return null;
  }
  const since = Math.max(...runs.map((one) => one?.first ?? 0));
  const { enabled, variant } = run;
  return {
    kind: "constant",
    since: toTime(since),
    environments: namesOf(used),
    value: { enabled, ...(variant !== undefined && { variant }) },
  };
}

/** Walks back from the last report for as long as they say the same, and usage is kept. */
function findRun(reports: readonly Report[], today: number) {
  const kept = reports.filter(({ day }) => day > today - KEPT_DAYS);
  const enabled = (kept.at(-1)?.yes ?? 0) > 0;
  const latest = kept.findLast(({ variants }) => variants.length > 0);
  const variant =
    enabled && latest !== undefined && latest.day >= today - 30 ? latest.variants[0] : undefined;
  let first: number | undefined;
  for (const report of kept.toReversed()) {
    const isOther = enabled ? report.no > 0 : report.yes > 0;
    const hasOther = variant !== undefined && report.variants.some((name) => name !== variant);
    if (isOther || hasOther) break;
    first = report.day;
  }
  if (first === undefined) return undefined;
  return { enabled, variant: variant === "disabled" ? undefined : variant, first };
}

/** Whether the reason is the one that was known before, of which the first reports have expired. */
function isContinued(flag: RandomFlag, today: number, before: Reason, reason: Reason): boolean {
  if (reason.kind !== "constant" || before.since >= reason.since) return false;
  if (!isDeepStrictEqual({ ...before, since: "" }, { ...reason, since: "" })) return false;
  return reason.environments.every((environment) => {
    const kept = (flag.reports.get(environment) ?? []).filter(
      ({ day }) => day > today - KEPT_DAYS && day <= today,
    );
    return findRun(kept, today)?.first === kept[0]?.day;
  });
}

/** Stores the reports after one day until another one, as the service would have. */
async function store(
  storage: Storage,
  flags: readonly RandomFlag[],
  [after, until]: readonly [number, number],
) {
  const rows = flags.flatMap((flag) =>
    Array.from(flag.reports).flatMap(([environment, reports]) =>
      reports
        .filter(({ day }) => day > after && day <= until)
        .map(({ day, ...report }) => ({
          feature: flag.name,
          environment,
          time: toTime(day + 0.5),
          ...report,
        })),
    ),
  );
  const sent = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as sent (
    feature text, environment text, time timestamptz, yes int, no int, variants text[])`;
  for (const [appName, share] of [
    ["shop", 1],
    ["blog", 2],
  ] as const) {
    await storage.db.execute(sql`
      insert into feature_usage (feature, environment, hour, app_name, yes, no)
      select feature, environment, time, ${appName}, yes * ${share}, no * ${share} from ${sent}`);
    await storage.db.execute(sql`
      insert into variant_usage (feature, environment, hour, app_name, variant, count)
      select feature, environment, time, ${appName}, variant, 1 from ${sent}, unnest(variants) as variant`);
  }
  await storage.db.execute(sql`
    update feature_environments as state set last_seen_at = seen.at
    from (select feature, environment, max(time) as at from ${sent} group by 1, 2) as seen
    where state.feature = seen.feature and state.environment = seen.environment`);
}

/** Makes the decisions of a day. */
async function decide(storage: Storage, flags: readonly RandomFlag[], today: number) {
  const rows = flags.map((flag) => ({
    feature: flag.name,
    completed_at:
      flag.completedDay !== null && flag.completedDay <= today ? toTime(flag.completedDay) : null,
    archived_at:
      flag.archivedDay !== null && flag.archivedDay <= today ? toTime(flag.archivedDay) : null,
    snoozed_until: flag.snoozedUntilDay === null ? null : toTime(flag.snoozedUntilDay),
    is_permanent: flag.isPermanent,
  }));
  const sent = sql`jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as sent (
    feature text, completed_at timestamptz, archived_at timestamptz, snoozed_until timestamptz, is_permanent boolean)`;
  await storage.db.execute(sql`
    update features set archived_at = sent.archived_at from ${sent} where name = feature`);
  await storage.db.execute(sql`
    insert into lifecycles (feature, completed_at, snoozed_until, is_permanent)
    select feature, completed_at, snoozed_until, is_permanent from ${sent}
    on conflict (feature) do update set completed_at = excluded.completed_at`);
}

async function readFound(storage: Storage): Promise<ReadonlyMap<string, Found>> {
  const result = await storage.db.execute(
    sql`select feature, potentially_stale, stale_reason from lifecycles`,
  );
  return new Map(
    rowsOf(result).map((row) => [
      String(row["feature"]),
      {
        potentiallyStale: row["potentially_stale"] === true,
        reason: row["stale_reason"] as Reason | null,
      },
    ]),
  );
}

/** Counts the recorded events by flag and type. */
async function countEvents(storage: Storage): Promise<ReadonlyMap<string, number>> {
  const result = await storage.db.execute(sql`
    select feature_name || ' ' || type as key, count(*)::int as total from events
    where type like 'feature-potentially-stale-%' group by 1`);
  return new Map(rowsOf(result).map(({ key, total }) => [String(key), Number(total)]));
}

async function createAll(
  service: Service & { readonly storage: Storage },
  flags: readonly RandomFlag[],
) {
  await service.admin("POST", "/environments", { name: "production-eu", type: "production" });
  await service.admin("POST", "/environments", { name: "staging", type: "test" });
  await service.admin("POST", "/projects", {
    id: "plain",
    name: "Plain",
    environments: ENVIRONMENTS["plain"],
  });
  await service.admin("POST", "/projects/default/environments", { environment: "production-eu" });
  const created = flags.map(({ name, project, type, isMarked, createdDay }) => ({
    name,
    project,
    type,
    stale: isMarked,
    created_at: toTime(createdDay),
  }));
  const { db } = service.storage;
  await db.execute(sql`
    insert into features (name, project, type, stale, created_at, created_by)
    select name, project, type, stale, created_at, 'x'
    from jsonb_to_recordset(${JSON.stringify(created)}::jsonb) as sent (
      name text, project text, type text, stale boolean, created_at timestamptz)`);
  await db.execute(sql`
    insert into feature_environments (feature, environment)
    select name, environment from features join project_environments using (project)`);
}

const toVerdict = ({ reason }: Found): string =>
  [reason?.kind ?? "nothing", reason?.value?.enabled, reason?.value?.variant]
    .filter((part) => part !== undefined)
    .join(" ");

describeStorages("flags over a year", (source) => {
  const service = useService(source);

  test("are found stale exactly while all reports say so", async () => {
    const { storage } = service;
    const flags = createFlags(createRandom(7));
    await createAll(service, flags);
    const verdicts = new Set<string>();
    let previous: ReadonlyMap<string, Found> = new Map();
    let stored = -1;
    for (const today of [66, 127, 158, 219, 241, 270, 299, 364]) {
      await store(storage, flags, [stored, today]);
      stored = today;
      const now = new Date(toTime(today + TIME_OF_DAY));
      await deleteExpired(storage, DEFAULT_RETENTION, {
        batchRows: 100_000,
        signal: new AbortController().signal,
        now,
      });
      await decide(storage, flags, today);
      const eventsBefore = await countEvents(storage);
      await findStaleFlags(storage, now);
      const events = await countEvents(storage);
      const found = await readFound(storage);
      for (const flag of flags) {
        const before = previous.get(flag.name);
        const expected = expectFound(flag, today, flags, before?.reason ?? null);
        verdicts.add(toVerdict(expected));
        const at = { flag: flag.name, today };
        expect({ ...at, ...found.get(flag.name) }).toEqual({ ...at, ...expected });
        const key = `${flag.name} feature-potentially-stale-on`;
        const isReported = events.get(key) !== eventsBefore.get(key);
        // Another reason is reported, too.
        if (expected.potentiallyStale !== before?.potentiallyStale) {
          expect({ ...at, isReported }).toEqual({ ...at, isReported: expected.potentiallyStale });
        }
      }
      previous = found;
      // Another run finds nothing new.
      expect(await findStaleFlags(storage, now)).toBe(0);
    }
    expect([...verdicts].toSorted()).toEqual([
      "constant false",
      "constant true",
      "constant true blue",
      "constant true red",
      "nothing",
      "unused",
    ]);
    expect(service.errors).toEqual([]);
  });
});
