import { invalidOperation } from "../../errors.ts";

/** A feature, the one it is to depend on, and what is known of both. */
export interface Relation {
  readonly child: string;
  readonly parent: string;
  /** Whether the parent is an active feature of the same project. */
  readonly isParentActive: boolean;
  /** Whether the parent depends on another one itself. */
  readonly hasParentParent: boolean;
  /** One that depends on the child, if there is one. */
  readonly grandchild: string | undefined;
}

/**
 * Features depend on each other over one level only, within one project.
 *
 * @throws {ApiError} when these may not
 */
export function checkParent(relation: Relation): void {
  const { child, parent, grandchild } = relation;
  const name = JSON.stringify(parent);
  if (parent === child) throw invalidOperation("A feature cannot depend on itself");
  if (!relation.isParentActive) {
    throw invalidOperation(`There is no active feature ${name} in the project to depend on`);
  }
  if (relation.hasParentParent) {
    throw invalidOperation(`The feature ${name} depends on another one itself`);
  }
  if (grandchild !== undefined) {
    throw invalidOperation(`The feature ${JSON.stringify(grandchild)} depends on this one`);
  }
}
