import type { Outcome, Payload, SelectedVariant } from "../outcome.ts";
import type { CompiledFlag, Snapshot } from "../snapshot.ts";

/**
 * Returns the flag as it is in an earlier snapshot when both say the same: whoever remembers
 * something by this object need not work it out again.
 */
export function keepFormer(compiled: CompiledFlag, previous?: Snapshot): CompiledFlag {
  const known = previous?.flags[previous.indexOf(compiled.name)];
  return known !== undefined && isSame(known, compiled) ? known : compiled;
}

function isSame(one: CompiledFlag, other: CompiledFlag): boolean {
  return (
    one.type === other.type &&
    one.project === other.project &&
    one.stale === other.stale &&
    one.impressionData === other.impressionData &&
    one.constantOutcome === other.constantOutcome &&
    hasSameOutcomes(one, other)
  );
}

function hasSameOutcomes(one: CompiledFlag, other: CompiledFlag): boolean {
  return (
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

type Selected = SelectedVariant | undefined;

function isSameVariant(one: Selected, other: Selected): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.name === other.name && isSamePayload(one.payload, other.payload);
}

function isSamePayload(one: Payload | undefined, other: Payload | undefined): boolean {
  return one?.type === other?.type && one?.value === other?.value;
}
