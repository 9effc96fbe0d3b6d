import { isRecord } from "flags-server-kit/neutral";
import type { DependencyInput } from "../domain/dependencies/schemas.ts";
import type { StrategyView } from "../domain/strategies/find-strategies.ts";
import type { StoredFlagVariant } from "../storage/schema/json-values.ts";

/** What can be restored of a flag. */
export interface FlagState {
  readonly archived: boolean;
  readonly settings: FlagSettings;
  /** Undefined if the flag depends on none. */
  readonly parent: DependencyInput | undefined;
  readonly environments: ReadonlyMap<string, EnvironmentState>;
}

export interface FlagSettings {
  readonly type: string;
  readonly description: string | null;
  readonly stale: boolean;
  readonly impressionData: boolean;
}

export interface EnvironmentState {
  readonly enabled: boolean;
  readonly strategies: ReadonlyMap<string, StrategyView>;
  readonly variants: readonly StoredFlagVariant[];
}

/** A recorded event of a flag. */
export interface PastEvent {
  readonly type: string;
  readonly environment: string | null;
  readonly preData: unknown;
  readonly data: unknown;
}

/**
 * Returns the state of a flag before some events.
 *
 * @param events the latest first
 */
export function undoEvents(state: FlagState, events: readonly PastEvent[]): FlagState {
  return events.reduce((current, event) => undo(current, event), state);
}

function undo(state: FlagState, event: PastEvent): FlagState {
  const before = fieldsOf(event.preData);
  const after = fieldsOf(event.data);
  switch (event.type) {
    case "feature-archived":
      return { ...state, archived: false };
    case "feature-revived":
      return { ...undoRevival(state, fieldsOf(before["environments"])), archived: true };
    case "feature-metadata-updated":
    case "feature-stale-off":
    case "feature-stale-on":
      return { ...state, settings: { ...state.settings, ...pickSettings(before) } };
    case "feature-dependency-added":
    case "feature-dependency-removed":
      return { ...state, parent: toParent(event.preData) };
    case "feature-dependencies-removed":
      return { ...state, parent: toParent([event.preData].flat()[0]) };
    default: {
      const { environment } = event;
      const current = environment === null ? undefined : state.environments.get(environment);
      if (environment === null || current === undefined) return state;
      const restored = undoInEnvironment(current, event.type, { before, after });
      return { ...state, environments: new Map(state.environments).set(environment, restored) };
    }
  }
}

/** Reviving a flag turns it off everywhere. */
function undoRevival(state: FlagState, wasEnabled: Fields): FlagState {
  const environments = [...state.environments].map(
    ([name, one]) => [name, { ...one, enabled: wasEnabled[name] === true }] as const,
  );
  return { ...state, environments: new Map(environments) };
}

type Fields = Readonly<Record<string, unknown>>;

interface Recorded {
  readonly before: Fields;
  readonly after: Fields;
}

function undoInEnvironment(
  state: EnvironmentState,
  type: string,
  { before, after }: Recorded,
): EnvironmentState {
  const strategies = new Map(state.strategies);
  switch (type) {
    case "feature-environment-disabled":
    case "feature-environment-enabled":
      return { ...state, enabled: before["enabled"] === true };
    case "feature-environment-variants-updated":
      return { ...state, variants: before["variants"] as EnvironmentState["variants"] };
    case "feature-strategy-add":
      strategies.delete(String(after["id"]));
      return { ...state, strategies };
    case "feature-strategy-remove":
      strategies.set(String(before["id"]), before as unknown as StrategyView);
      return { ...state, strategies };
    case "feature-strategy-update":
      // NOTE: some events contain only what has changed.
      merge(strategies, before);
      return { ...state, strategies };
    case "strategy-order-changed":
      for (const one of [before["strategies"] ?? []].flat()) merge(strategies, fieldsOf(one));
      return { ...state, strategies };
    default:
      return state;
  }
}

function merge(strategies: Map<string, StrategyView>, before: Fields): void {
  const id = String(before["id"]);
  const current = strategies.get(id);
  if (current !== undefined) strategies.set(id, { ...current, ...before });
}

function pickSettings(before: Fields): Partial<FlagSettings> {
  const names = ["type", "description", "stale", "impressionData"] as const;
  return Object.fromEntries(
    names.flatMap((name) => (name in before ? [[name, before[name]]] : [])),
  );
}

function toParent(before: unknown): DependencyInput | undefined {
  return isRecord(before) ? (before as DependencyInput) : undefined;
}

function fieldsOf(state: unknown): Fields {
  return isRecord(state) ? state : {};
}
