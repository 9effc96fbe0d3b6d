import parse from "semver/functions/parse.js";
import { isRecord } from "../parse/json.ts";

/** The first version of the client specification that has segments. */
const FIRST_VERSION_WITH_SEGMENTS = "4.2.0";

/** Replaces whatever is missing or malformed, as the parser does: no context satisfies it. */
const NEVER_SATISFIED = { contextName: "userId", operator: "IN", values: [] } as const;

/** Limit of the constraints that inlining adds to all strategies together, as JSON, in characters. */
export const MAX_INLINED_LENGTH: number = 32 * 1024 * 1024;

/** The `Unleash-Client-Spec` header of a request is invalid. The message says what it must be. */
export class ClientSpecError extends Error {
  override readonly name = "ClientSpecError";
}

/**
 * Returns whether segments must be inlined, because the SDK does not support them according to its
 * `Unleash-Client-Spec` header.
 *
 * @throws {ClientSpecError} if the header is not a version
 */
export function mustInlineSegments(clientSpec: string | readonly string[] | undefined): boolean {
  if (clientSpec === undefined) return true;
  const text = clientSpec.toString().trim();
  const version = text.startsWith("v") ? null : parse(text);
  if (version === null) {
    throw new ClientSpecError(`must be a version such as \`${FIRST_VERSION_WITH_SEGMENTS}\``);
  }
  return version.compare(FIRST_VERSION_WITH_SEGMENTS) < 0;
}

/**
 * Copies the constraints of segments into the strategies that reference them, for SDKs that do not
 * support segments. Features and strategies that are not objects are returned unchanged.
 *
 * @throws {ClientSpecError} if the copies would be too large
 */
export function inlineSegments(
  features: readonly unknown[],
  segments: readonly unknown[],
): readonly unknown[] {
  const constraintsById = new Map(
    segments
      .filter(isRecord)
      .filter(({ id }) => id !== undefined)
      .map(({ id, constraints }) => [id, toConstraints(constraints)]),
  );
  const lengths = new Map<unknown, number>();
  let addedLength = 0;
  const constraintsOf = (id: unknown): readonly unknown[] => {
    const constraints = constraintsById.get(id) ?? [NEVER_SATISFIED];
    const length = lengths.get(id) ?? JSON.stringify(constraints).length;
    lengths.set(id, length);
    addedLength += length;
    // Each strategy repeats its segments, so that a short document could become one of hundreds of MB.
    if (addedLength > MAX_INLINED_LENGTH) throw tooLarge();
    return constraints;
  };
  const inlined = (strategy: unknown): unknown => {
    if (!isRecord(strategy)) return strategy;
    const { segments: ids, ...rest } = strategy;
    const added = toIds(ids).flatMap(constraintsOf);
    return { ...rest, constraints: [...toConstraints(rest["constraints"]), ...added] };
  };
  return features.map((feature) =>
    isRecord(feature) && Array.isArray(feature["strategies"])
      ? { ...feature, strategies: feature["strategies"].map(inlined) }
      : feature,
  );
}

function tooLarge(): ClientSpecError {
  return new ClientSpecError(
    `must be ${FIRST_VERSION_WITH_SEGMENTS} or later, because the segments would add more than ` +
      `${MAX_INLINED_LENGTH / 1024 / 1024} MiB to the strategies that refer to them: upgrade the SDK`,
  );
}

function toConstraints(value: unknown): readonly unknown[] {
  if (!value) return [];
  return Array.isArray(value) ? value : [NEVER_SATISFIED];
}

/** Anything but a list refers to a segment that does not exist. */
function toIds(value: unknown): readonly unknown[] {
  if (!value) return [];
  return Array.isArray(value) ? value : [undefined];
}
