import { type ApplicationUsage, type FeatureUsage, USAGE_LIMITS } from "flags-sdk";
import type { Static } from "typebox";
import { badField } from "../errors.ts";
import type { UsageBody } from "../routes/schemas.ts";

type Report = Static<typeof UsageBody>;
type Toggles = NonNullable<Report["bucket"]>["toggles"];

/** Reads a usage report; the cost depends on how many names it has, never on what was counted. */
export function toApplicationUsage(report: Report, nowMs: number): ApplicationUsage {
  return {
    appName: report.appName,
    startMs: toEpochMs(report.bucket?.start, nowMs),
    features: toFeatures(report.bucket?.toggles ?? {}),
  };
}

/** Most toggles and variants, together, that one report may tell of. */
const MAX_REPORTED_NAMES = 50_000;

/**
 * Refuses, with words that help, what would find no room even if nothing else was held. The path is
 * where the body names the toggles.
 */
export function checkUsage({ appName, features }: ApplicationUsage, path: string): void {
  const { nameLength, variantsPerFeature } = USAGE_LIMITS;
  const tooLong = `more than ${nameLength} characters: shorten it`;
  if (appName.length > nameLength) throw badField("appName", `has ${tooLong}`);
  let names = 0;
  for (const [toggle, { variants = {} }] of Object.entries(features)) {
    const variantNames = Object.keys(variants);
    names += 1 + variantNames.length;
    if ([toggle, ...variantNames].some((name) => name.length > nameLength)) {
      throw badField(path, `has a name of ${tooLong}`);
    }
    if (variantNames.length > variantsPerFeature) {
      throw badField(
        path,
        `has a toggle with more than ${variantsPerFeature} variants: send the rest in another bucket`,
      );
    }
  }
  if (names > MAX_REPORTED_NAMES) {
    throw badField(
      path,
      `has more than ${MAX_REPORTED_NAMES} toggles and variants: send several smaller reports`,
    );
  }
}

/** A start that cannot be understood, or lies ahead, is now. */
export function toEpochMs(start: unknown, nowMs: number): number {
  const ms = typeof start === "number" ? start : Date.parse(String(start));
  return ms >= 0 && ms <= nowMs ? ms : nowMs;
}

function toFeatures(toggles: Toggles): Record<string, FeatureUsage> {
  return mapValues(toggles, toFeatureUsage);
}

/** Reads how often one toggle was on and off; what is missing is none. */
export function toFeatureUsage({ yes, no, variants }: Toggles[string]): FeatureUsage {
  const usage = { yes: toCount(yes), no: toCount(no) };
  return variants ? { ...usage, variants: mapValues(variants, toCount) } : usage;
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
  for (const [name, value] of Object.entries(entries)) mapped[name] = map(value);
  return mapped;
}
