import type { TranslationReport } from "../config/translation-report.ts";
import { type Missing, PRODUCT_NAMES, type Product } from "./aliases/alias.ts";

export interface UsedAlias {
  readonly name: string;
  readonly to: string;
  readonly conversion: string | undefined;
  readonly loss: string | undefined;
}

/** A setting of another product that has no effect here. */
export interface IneffectiveSetting {
  readonly name: string;
  readonly effect: Missing["effect"] | "overridden";
  readonly reason: string;
}

export interface ForeignSettings {
  readonly products: readonly Product[];
  readonly used: readonly UsedAlias[];
  readonly ineffective: readonly IneffectiveSetting[];
  /** Defaults of the replaced product that apply, by our variables. */
  readonly defaults: Readonly<Record<string, string>>;
}

/** Describes the settings of other products for the log. Returns no lines if there are none. */
export function describeTranslation(
  { products, used, ineffective, defaults }: ForeignSettings,
  options: ReadonlyMap<string, string> = new Map(),
): Pick<TranslationReport, "information" | "warnings"> {
  if (used.length + ineffective.length + options.size === 0) {
    return { information: [], warnings: [] };
  }
  const names = products.map((product) => PRODUCT_NAMES[product]).join(" and ");
  const assignments = Object.entries(defaults).map(([name, value]) => `${name}=${value}`);
  const information = [
    `Settings of ${names === "" ? PRODUCT_NAMES["unleash-proxy"] : names} are in use: the command flags-proxy migrate prints them under their new names`,
    ...[...options].map(([oldName, name]) => `Option ${oldName} is read as ${name}`),
    ...used.filter(({ loss }) => loss === undefined).map(describeUse),
    ...(assignments.length === 0
      ? []
      : [`Defaults of ${PRODUCT_NAMES.edge} apply: ${assignments.join(", ")}`]),
  ];
  const warnings = [
    ...used.filter(({ loss }) => loss !== undefined).map(describeUse),
    ...ineffective.map(describeIneffective),
  ];
  return { information, warnings };
}

function describeUse({ name, to, conversion, loss }: UsedAlias): string {
  const converted = conversion === undefined ? "" : `, ${conversion.replaceAll("`", "")}`;
  return `${name} is read as ${to}${converted}${loss === undefined ? "" : `; ${loss}`}`;
}

export function describeIneffective({ name, reason }: IneffectiveSetting): string {
  return `${name} has no effect: ${reason}`;
}
