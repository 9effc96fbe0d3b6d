import { type ApplicationUsage, type FeatureUsage, USAGE_LIMITS } from "flags-sdk";
import type { Static } from "typebox";
import { badField } from "../errors.ts";
import { readImpactMetrics } from "./impact-metrics.ts";
import type { UsageBody } from "./schemas.ts";

type Report = Static<typeof UsageBody>;
type Variants = NonNullable<FeatureUsage["variants"]>;
type Toggles = NonNullable<Report["bucket"]>["toggles"];

/** Reads a usage report; the cost depends on how many names it has, never on the counts. */
export function toApplicationUsage(
  report: Report,
  { nowMs, quotaId }: { readonly nowMs: number; readonly quotaId: string },
): ApplicationUsage {
  const impactMetrics = readImpactMetrics(report.impactMetrics);
  return {
    appName: report.appName,
    startMs: toEpochMs(report.bucket?.start, nowMs),
    features: toFeatures(report.bucket?.toggles ?? {}),
    quotaId,
    ...(impactMetrics.length > 0 && { impactMetrics }),
  };
}

/** The largest number of toggles and variants, together, in one report. */
const MAX_REPORTED_NAMES = 50_000;

const { nameLength, variantsPerFeature } = USAGE_LIMITS;
const TOO_LONG = `more than ${nameLength} characters: shorten it`;
// PostgreSQL cannot store it, so an upstream may fail on a report with it, and on all that it stores
// together with that report.
const NUL = "\0";
const HAS_NUL = "the character U+0000: leave it out";

/**
 * Refuses what could not be accepted even if nothing else was waiting.
 *
 * @param path where the body names the toggles
 * @throws {HttpError} a 400 that names the problem
 */
export function checkUsage({ appName, features }: ApplicationUsage, path: string): void {
  if (isTooLong(appName)) throw badField("appName", `has ${TOO_LONG}`);
  if (appName.includes(NUL)) throw badField("appName", `has ${HAS_NUL}`);
  let names = 0;
  for (const toggle of Object.keys(features)) {
    checkName(toggle, path);
    names += 1 + countVariants(features[toggle]?.variants ?? {}, path);
  }
  if (names > MAX_REPORTED_NAMES) {
    throw badField(
      path,
      `has more than ${MAX_REPORTED_NAMES} toggles and variants: send several smaller reports`,
    );
  }
}

function isTooLong(name: string): boolean {
  return name.length > nameLength;
}

function checkName(name: string, path: string): void {
  if (isTooLong(name)) throw badField(path, `has a name of ${TOO_LONG}`);
  if (name.includes(NUL)) throw badField(path, `has a name with ${HAS_NUL}`);
}

/** How many variants there are; refuses too many, and names that cannot be accepted. */
function countVariants(variants: Variants, path: string): number {
  const names = Object.keys(variants);
  for (const name of names) checkName(name, path);
  if (names.length > variantsPerFeature) {
    throw badField(
      path,
      `has a toggle with more than ${variantsPerFeature} variants: send the rest in another bucket`,
    );
  }
  return names.length;
}

/** A start that is not a moment, or is in the future, is replaced by now. */
export function toEpochMs(start: unknown, nowMs: number): number {
  const ms = typeof start === "number" ? start : Date.parse(String(start));
  return ms >= 0 && ms <= nowMs ? ms : nowMs;
}

function toFeatures(toggles: Toggles): Readonly<Record<string, FeatureUsage>> {
  return areUsages(toggles) ? toggles : mapValues(toggles, toFeatureUsage);
}

/** Nearly all reports are in order, and making their toggles anew takes longer than parsing them. */
function areUsages(toggles: Toggles): toggles is Readonly<Record<string, FeatureUsage>> {
  return Object.values(toggles).every(isUsage);
}

/** Whether a toggle is as we would write it: counts that are whole, and nothing besides. */
function isUsage(toggle: Toggles[string]): boolean {
  const { yes, no, variants } = toggle;
  if (!Number.isSafeInteger(yes) || !Number.isSafeInteger(no) || variants === null) return false;
  const members = variants === undefined ? 2 : 3;
  return Object.keys(toggle).length === members && isCounts(variants ?? {});
}

/** Reads how often one toggle was on and off; what is missing is none. */
export function toFeatureUsage({ yes, no, variants }: Toggles[string]): FeatureUsage {
  return variants
    ? { yes: toCount(yes), no: toCount(no), variants: toCounts(variants) }
    : { yes: toCount(yes), no: toCount(no) };
}

function toCounts(variants: Readonly<Record<string, number | null>>): Variants {
  return isCounts(variants) ? variants : mapValues(variants, toCount);
}

/** Nearly all are whole already, and making them anew takes longer than all else. */
function isCounts(variants: Readonly<Record<string, unknown>>): variants is Variants {
  return Object.values(variants).every(Number.isSafeInteger);
}

function toCount(count: number | null | undefined): number {
  return Math.min(Math.trunc(count ?? 0), Number.MAX_SAFE_INTEGER);
}

function mapValues<From, To>(
  entries: Readonly<Record<string, From>>,
  map: (value: From) => To,
): Record<string, To> {
  // NOTE: no prototype, since a toggle may well be called `__proto__`.
  const mapped: Record<string, To> = Object.create(null);
  // NOTE: by name, as lists of entries cost more than all the rest of it.
  for (const name of Object.keys(entries)) mapped[name] = map(entries[name] as From);
  return mapped;
}
