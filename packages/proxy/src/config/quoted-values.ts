import { type Environment, variablesOf } from "flags-server-kit";
import { SETTINGS } from "./settings.ts";

/** The same mark at both ends. */
const QUOTED = /^\s*(["'`]).*\1\s*$/s;

/**
 * Returns a hint for every variable whose value is in quotes: env files of Docker and Kubernetes keep
 * them, so that the first and the last key of a list would silently be others.
 *
 * @param origins the variable that the user has set, by our name for it
 */
export function findQuotedValues(
  environment: Environment,
  origins: ReadonlyMap<string, string>,
): readonly string[] {
  return Object.values(SETTINGS)
    .flatMap(variablesOf)
    .filter((name) => QUOTED.test(environment[name] ?? ""))
    .map(
      (name) =>
        `${origins.get(name) ?? name} begins and ends with a quotation mark: remove both, unless they belong to the value. Env files of Docker and Kubernetes keep quotes`,
    );
}
