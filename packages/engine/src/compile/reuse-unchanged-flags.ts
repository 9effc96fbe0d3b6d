import type { Outcome, SelectedVariant } from "../outcome.ts";
import type { CompiledFlag, Snapshot } from "../snapshot.ts";

/**
 * Returns the object of the previous snapshot if the flag is unchanged, so that caches keyed by the
 * object stay valid. Otherwise returns the given object.
 */
export function reuseUnchangedFlag(compiled: CompiledFlag, previous?: Snapshot): CompiledFlag {
  const candidate = previous?.flags[previous.indexOf(compiled.name)];
  return candidate !== undefined && isSameFlag(candidate, compiled) ? candidate : compiled;
}

function isSameFlag(one: CompiledFlag, other: CompiledFlag): boolean {
  return (
    one.type === other.type &&
    one.project === other.project &&
    one.stale === other.stale &&
    one.impressionData === other.impressionData &&
    one.constantOutcome === other.constantOutcome &&
    one.outcomes.length === other.outcomes.length &&
    one.outcomes.every((outcome, index) => isSameOutcome(outcome, other.outcomes[index]))
  );
}

function isSameOutcome(one: Outcome, other: Outcome | undefined): boolean {
  return (
    one.enabled === other?.enabled &&
    one.reason === other.reason &&
    isSameVariant(one.variant, other.variant)
  );
}

function isSameVariant(
  one: SelectedVariant | undefined,
  other: SelectedVariant | undefined,
): boolean {
  return (
    one?.name === other?.name &&
    one?.payload?.type === other?.payload?.type &&
    one?.payload?.value === other?.payload?.value
  );
}
