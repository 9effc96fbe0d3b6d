/** The author of a change: the owner of a token, a user of OpenID Connect, or the service itself. */
export interface Actor {
  /** Id of the token, or issuer and subject of the user; null for the service. */
  readonly id: string | null;
  readonly name: string;
  readonly kind: "openid" | "system" | "token";
}

/** The author of changes that the service makes without a request. */
export const SYSTEM_ACTOR: Actor = { id: null, name: "system", kind: "system" };

/** An event to record. The transaction that records it adds the author and the time. */
export interface NewEvent {
  readonly type: EventType;
  readonly project?: string;
  readonly feature?: string;
  readonly environment?: string;
  /** The state before the change; absent for a creation. */
  readonly before?: unknown;
  /** The state after the change; absent for a deletion. */
  readonly after?: unknown;
}

/** Types of the recorded events, named as in the wire protocol. */
export type EventType =
  | "api-token-created"
  | "api-token-deleted"
  | "api-token-updated"
  | "application-deleted"
  | "context-field-created"
  | "context-field-deleted"
  | "context-field-updated"
  | "environment-created"
  | "environment-disabled"
  | "environment-enabled"
  | "feature-archived"
  | "feature-created"
  | "feature-deleted"
  | "feature-dependencies-removed"
  | "feature-dependency-added"
  | "feature-dependency-removed"
  | "feature-environment-disabled"
  | "feature-environment-enabled"
  | "feature-environment-variants-updated"
  | "feature-metadata-updated"
  | "feature-revived"
  | "feature-stale-off"
  | "feature-stale-on"
  | "feature-strategy-add"
  | "feature-strategy-remove"
  | "feature-strategy-update"
  | "feature-tagged"
  | "feature-untagged"
  | "features-imported"
  | "project-archived"
  | "project-created"
  | "project-environment-added"
  | "project-environment-removed"
  | "project-revived"
  | "project-updated"
  | "segment-created"
  | "segment-deleted"
  | "segment-updated"
  | "strategy-created"
  | "strategy-deleted"
  | "strategy-order-changed"
  | "strategy-updated"
  | "tag-created"
  | "tag-deleted"
  | "tag-type-created"
  | "tag-type-deleted"
  | "tag-type-updated";
