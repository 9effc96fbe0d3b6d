/** Who does something: the holder of an admin token, or the service itself. */
export interface Actor {
  /** Of the token; null for the service. */
  readonly id: string | null;
  readonly name: string;
  readonly kind: "token" | "system";
}

/** The author of what the service does of its own accord. */
export const SYSTEM_ACTOR: Actor = { id: null, name: "system", kind: "system" };
