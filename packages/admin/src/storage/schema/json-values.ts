// The values of `jsonb` columns.

/** A condition on one context field, as it is stored and sent to SDKs. */
export interface StoredConstraint {
  readonly contextName: string;
  readonly operator: string;
  readonly values: readonly string[];
  readonly value?: string;
  readonly inverted: boolean;
  readonly caseInsensitive: boolean;
}

/** A variant of a strategy. */
export interface StoredVariant {
  readonly name: string;
  readonly weight: number;
  readonly weightType: "variable" | "fix";
  readonly stickiness: string;
  readonly payload?: { readonly type: string; readonly value: string };
}

/** A variant of a flag in one environment, which strategies without variants use. */
export interface StoredFlagVariant extends StoredVariant {
  readonly overrides?: readonly VariantOverride[];
}

/** Selects a variant for contexts with one of these values, regardless of its weight. */
interface VariantOverride {
  readonly contextName: string;
  readonly values: readonly string[];
}

/** A strategy of no flag. Its `groupId` is absent if that of each flag is its name. */
export interface StoredDefaultStrategy {
  readonly name: string;
  readonly title: string | null;
  readonly parameters: Readonly<Record<string, string>>;
  readonly constraints: readonly StoredConstraint[];
  readonly variants: readonly StoredVariant[];
  /** Ids of segments. */
  readonly segments: readonly number[];
}

/** A rule for the names of new flags of a project. */
export interface FeatureNaming {
  /** A regular expression in RE2 syntax that the whole name matches. */
  readonly pattern: string;
  readonly example: string | null;
  readonly description: string | null;
}

/** A link that every flag of a project has. */
export interface LinkTemplate {
  /** Null: the address is shown. */
  readonly title: string | null;
  /** With the placeholders {{project}} and {{feature}}. */
  readonly urlTemplate: string;
}

/** An allowed value of a context field. */
export interface LegalValue {
  readonly value: string;
  readonly description?: string;
}
