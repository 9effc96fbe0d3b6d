import type { dependencies } from "../../storage/schema/features.ts";
import type { DependencyInput } from "./schemas.ts";

/** What a feature requires of another one, as it is stored. */
export type Dependency = typeof dependencies.$inferSelect;

/** What is not said has a meaning: the parent must be on, whatever its variant. */
export function toDependency(
  child: string,
  { feature: parent, enabled = true, variants = [] }: DependencyInput,
): Dependency {
  return { child, parent, enabled, variants: enabled ? variants : [] };
}

/** A dependency as it is told. */
export function toDependencyView({ parent, enabled, variants }: Dependency) {
  return { feature: parent, enabled, ...(variants.length > 0 && { variants }) };
}
