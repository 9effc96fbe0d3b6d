/** One change of the schema. A released migration never changes; add a new one instead. */
export interface Migration {
  /** Numbered from 1 without gaps. */
  readonly version: number;
  readonly name: string;
  /** Sent one by one, because the embedded database accepts one statement per call. */
  readonly statements: readonly string[];
}
