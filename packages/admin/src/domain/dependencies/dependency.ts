import { invalidOperation } from "../../errors.ts";
import type { dependencies } from "../../storage/schema/features.ts";
import type { DependencyInput } from "./schemas.ts";

/** The state that a flag (child) requires of another flag (parent), as stored. */
export type Dependency = typeof dependencies.$inferSelect;

/** Applies the defaults: the parent must be on, with any variant. */
export function toDependency(
  child: string,
  { feature: parent, enabled = true, variants = [] }: DependencyInput,
): Dependency {
  return { child, parent, enabled, variants: enabled ? variants : [] };
}

/** Converts a dependency to the form that events show. */
export function toDependencyView({ parent, enabled, variants }: Dependency) {
  return { feature: parent, enabled, ...(variants.length > 0 && { variants }) };
}

/** Determines whether a flag may depend on another one. */
export interface DependencyCandidate {
  readonly child: string;
  readonly parent: string;
  /** Whether the parent is an active flag of the same project. */
  readonly isParentActive: boolean;
  /** Whether the parent itself depends on another flag. */
  readonly hasParentParent: boolean;
  /** A flag that depends on the child, if there is one. */
  readonly grandchild: string | undefined;
}

/**
 * Checks that both flags are in the same project and that the dependency does not form a chain.
 *
 * @throws {ApiError} if the child must not depend on the parent
 */
export function checkDependency(candidate: DependencyCandidate): void {
  const { child, parent, grandchild } = candidate;
  const name = JSON.stringify(parent);
  if (parent === child) throw invalidOperation("A flag cannot depend on itself");
  if (!candidate.isParentActive) {
    throw invalidOperation(`There is no active flag ${name} in the project to depend on`);
  }
  if (candidate.hasParentParent) {
    throw invalidOperation(
      `The flag ${name} itself depends on another flag: choose one that depends on none`,
    );
  }
  if (grandchild !== undefined) {
    throw invalidOperation(
      `The flag ${JSON.stringify(grandchild)} depends on this one: remove that dependency first`,
    );
  }
}
