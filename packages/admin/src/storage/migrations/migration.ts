/** One step of the schema. Once released, a step never changes: what comes next is a new step. */
export interface Migration {
  /** Counted from 1, without gaps. */
  readonly version: number;
  readonly name: string;
  /** Each is sent by itself: the embedded database takes one statement at a time. */
  readonly statements: readonly string[];
}
