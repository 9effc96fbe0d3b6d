import { checkParameters } from "flags-engine";
import type { StrategyView } from "./find-strategies.ts";

/** What a user should know about a strategy that is valid. */
interface StrategyWarning {
  /** Path in the strategy, such as `/parameters/IPs`. */
  readonly path: string;
  readonly message: string;
}

/**
 * Finds entries of lists that can never match, and percentages out of range.
 *
 * NOTE: not errors, because Unleash accepts them, and tools written for it would fail.
 */
export function findWarnings(
  name: string,
  parameters: Readonly<Record<string, unknown>>,
): readonly StrategyWarning[] {
  return checkParameters(name, parameters).map(({ parameter, message }) => ({
    path: `/parameters/${parameter}`,
    message,
  }));
}

/** Adds the warnings about a strategy to a response, if there are any. Events and entity tags do not contain them. */
export function withWarnings<View extends Pick<StrategyView, "name" | "parameters">>(
  view: View,
): View & { readonly warnings?: readonly StrategyWarning[] } {
  const warnings = findWarnings(view.name, view.parameters);
  return warnings.length === 0 ? view : { ...view, warnings };
}
