import type { Environment } from "flags-server-kit/command-line";

/** A product whose settings the proxy accepts. */
export type Product = "unleash-proxy" | "edge";

export const PRODUCT_NAMES: Readonly<Record<Product, string>> = {
  "unleash-proxy": "the Unleash proxy",
  edge: "Unleash Edge",
};

/** The value of an alias cannot be used. The message completes a sentence that begins with its name. */
export class InvalidAlias extends Error {}

/** How the value of an alias becomes the value of our variable. */
export interface Conversion {
  /** Describes the conversion, for documents and the log. */
  readonly description: string;
  /** @throws {InvalidAlias} */
  convert(text: string, environment: Environment): string;
}

/**
 * What happens to a setting that has no equivalent. `unneeded`: nothing changes without it. `lost`: the proxy
 * starts without what it does. `refused`: the proxy does not start, because running without it is dangerous.
 */
export interface Missing {
  readonly effect: "unneeded" | "lost" | "refused";
  /** A clause that completes "has no effect here: …". */
  readonly reason: string;
}

/** Variables of ours that an alias sets with certain settings. */
interface ConditionalVariables {
  /** Completes a sentence, for documents. */
  readonly condition: string;
  readonly to: readonly string[];
  isMet(environment: Environment): boolean;
}

/** A variable of another product, and what it means here. */
export interface Alias {
  readonly name: string;
  /** Our variables. None: `missing` says why. */
  readonly to: readonly string[];
  readonly toInstead?: ConditionalVariables;
  /** A variable that has the same name in both products, and whose value it replaces. */
  readonly replaces?: string;
  /** For `--help`: what its value is, in sentences. @default the description of our setting */
  readonly description?: string;
  /** @default the value stays the same */
  readonly conversion?: Conversion;
  /** Set if there is no variable of ours. */
  readonly missing?: Missing;
  /** What is lost even though the alias is used. */
  readonly loss?: string;
  /** Whether it is lost with these settings. @default it always is */
  hasLoss?(environment: Environment): boolean;
  /** Whether the value has an effect in the product itself. @default every value has */
  isActive?(text: string, environment: Environment): boolean;
  /** Whether several aliases of one variable are joined to a list, instead of the first one winning. */
  readonly isList?: boolean;
  /** The heading under which documents list it. */
  readonly group: string;
}
