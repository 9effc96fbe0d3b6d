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
