import { type FeatureDocument, findStrategyType } from "flags-engine";
import { isStandardField } from "../../core/context/sent-context.ts";

/** The fields that rules read, and values of each that they mention. */
export type RuleFields = ReadonlyMap<string, readonly string[]>;

/** Always sent, because a rollout without an id is random. */
const ROLLOUT_IDS = ["userId", "sessionId"];

/** The fields of contexts if the rules are not known. */
export const RANDOM_FIELDS: RuleFields = new Map(
  [...ROLLOUT_IDS, "remoteAddress"].map((name) => [name, []]),
);

/** Collects the fields that rules read, with the values that constraints, strategies and variants mention. */
export function collectFields(
  { features, segments }: FeatureDocument,
  readFields: readonly string[],
): RuleFields {
  const fields = new Map<string, Set<string>>();
  const add = (name: string, values: readonly unknown[] = []): void => {
    const known = fields.get(name) ?? new Set();
    for (const value of values) if ((value ?? "") !== "") known.add(String(value));
    fields.set(name, known);
  };
  for (const name of [...ROLLOUT_IDS, ...readFields]) add(name);
  const strategies = features.flatMap((feature) => feature.strategies ?? []);
  const variants = [...features, ...strategies].flatMap((each) => each.variants);
  for (const { contextName, values } of variants.flatMap(({ overrides }) => overrides)) {
    add(contextName, values);
  }
  for (const { name, parameters } of strategies) {
    const type = findStrategyType(name);
    if (type?.kind !== "list" || type.field === undefined) continue;
    const list = parameters[type.parameter];
    if (typeof list === "string")
      add(
        type.field,
        list.split(",").map((value) => value.trim()),
      );
  }
  const constraints = [...strategies, ...segments.values()].flatMap((each) => each.constraints);
  for (const constraint of constraints) {
    if (constraint === undefined) continue;
    const { contextName, values = [], value } = constraint;
    add(contextName, [...values, value]);
  }
  return new Map([...fields].map(([name, values]) => [name, [...values]]));
}

/**
 * The share of contexts in which a field is missing, and the share in which it has a value of a
 * rule.
 */
const MISSING_SHARE = 0.1;
const MENTIONED_SHARE = 0.6;
/** Lower, because a rollout depends on the id. */
const MENTIONED_ID_SHARE = 0.1;

const DAY_MS = 86_400_000;

/** Proxies accept years of four digits; `toISOString()` writes later ones with a sign and six digits. */
const MAX_TIME_MS = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * Creates a context with random values.
 *
 * @param random returns a number from 0 to 1, as `Math.random()`
 */
export function createContext(fields: RuleFields, random: () => number): object {
  const context: Record<string, unknown> = {};
  const properties: Record<string, string> = {};
  for (const [name, mentioned] of fields) {
    const isId = ROLLOUT_IDS.includes(name);
    if (!isId && random() < MISSING_SHARE) continue;
    const value = createValue(name, mentioned, random);
    if (isStandardField(name)) context[name] = value;
    else properties[name] = value;
  }
  // NOTE: without an address, a proxy uses the sender's, which can differ between the proxies.
  context["remoteAddress"] ??= randomAddress(random);
  return Object.keys(properties).length === 0 ? context : { ...context, properties };
}

function createValue(name: string, mentioned: readonly string[], random: () => number): string {
  const value = mentioned[Math.floor(random() * mentioned.length)];
  if (name === "currentTime") return randomTime(value, random);
  const share = ROLLOUT_IDS.includes(name) ? MENTIONED_ID_SHARE : MENTIONED_SHARE;
  if (value !== undefined && random() < share) {
    return name === "remoteAddress" ? (value.split("/")[0] ?? value) : value;
  }
  if (name === "remoteAddress") return randomAddress(random);
  const isNumber = value !== undefined && NUMBERS.test(value);
  if (isNumber && !ROLLOUT_IDS.includes(name)) return changeNumber(value, random);
  return `${name}-${Math.floor(random() * 1_000_000)}`;
}

/** A number or a version. */
const NUMBERS = /^\d+(?:\.\d+)*$/;

/** Changes a number, or one of the numbers of a version, by at most two. */
function changeNumber(mentioned: string, random: () => number): string {
  const numbers = mentioned.split(".").map(Number);
  const changed = Math.floor(random() * numbers.length);
  const change = Math.floor(random() * 5) - 2;
  return numbers
    .map((part, index) => (index === changed ? Math.max(0, part + change) : part))
    .join(".");
}

/** A time up to two days from the one in a rule, or from now. */
function randomTime(mentioned: string | undefined, random: () => number): string {
  const timeMs = Date.parse(mentioned ?? "");
  const baseMs = Number.isNaN(timeMs) ? Date.now() : timeMs;
  const randomMs = baseMs + Math.floor((random() * 4 - 2) * DAY_MS);
  return new Date(Math.min(randomMs, MAX_TIME_MS)).toISOString();
}

function randomAddress(random: () => number): string {
  return Array.from({ length: 4 }, () => 1 + Math.floor(random() * 254)).join(".");
}
