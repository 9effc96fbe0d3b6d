import { PRODUCT_NAMES } from "./aliases/alias.ts";
import type { IneffectiveSetting, Translation, UsedAlias } from "./translate-environment.ts";

/** Describes the settings of other products for the log. Returns no lines if there are none. */
export function describeTranslation(
  {
    products,
    used,
    ineffective,
    defaults,
  }: Pick<Translation, "products" | "used" | "ineffective" | "defaults">,
  options: ReadonlyMap<string, string> = new Map(),
): Pick<Translation, "information" | "warnings"> {
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

/** Says that a setting has no effect, and why. */
export function describeIneffective({ name, reason }: IneffectiveSetting): string {
  return `${name} has no effect: ${reason}`;
}
