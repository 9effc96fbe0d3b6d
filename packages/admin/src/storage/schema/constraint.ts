/** A condition on one context field, as it is stored and sent to SDKs. */
export interface StoredConstraint {
  readonly contextName: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly value?: string;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}
