/** The flags of a file, as server SDKs read them. */
export interface FlagDocument {
  readonly version: number;
  readonly features: readonly unknown[];
  readonly segments?: unknown;
}

/** A document, and what the operator should know about it. */
export interface ReadDocument {
  readonly document: FlagDocument;
  readonly warnings: readonly string[];
}
