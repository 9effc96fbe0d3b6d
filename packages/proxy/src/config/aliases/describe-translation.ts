import { PRODUCT_NAMES } from "./alias.ts";
import type { IneffectiveSetting, Translation, UsedAlias } from "./translate-environment.ts";

/**
 * Describes the settings of other products for the log: those in use, and those that have no effect here,
 * each with the reason. Returns no lines if there are none. Contains no values of settings.
 */
export function describeTranslation(
  { products, used, ineffective, defaults }: Translation,
  options: ReadonlyMap<string, string>,
): readonly string[] {
  if (used.length + ineffective.length + options.size === 0) return [];
  const names = products.map((product) => PRODUCT_NAMES[product]).join(" and ");
  const assignments = Object.entries(defaults).map(([name, value]) => `${name}=${value}`);
  return [
    `Settings of ${names === "" ? PRODUCT_NAMES["unleash-proxy"] : names} are in use: the command flags-proxy migrate prints them with their names here`,
    ...[...options].map(([oldName, name]) => `Option ${oldName} is read as ${name}`),
    ...used.map(describeUse),
    ...(assignments.length === 0
      ? []
      : [`Defaults of ${PRODUCT_NAMES.edge} apply: ${assignments.join(", ")}`]),
    ...ineffective.map(describeIneffective),
  ];
}

function describeUse({ name, to, conversion, loss }: UsedAlias): string {
  const converted = conversion === undefined ? "" : `, ${conversion.replaceAll("`", "")}`;
  return `${name} is read as ${to}${converted}${loss === undefined ? "" : `; ${loss}`}`;
}

/** Says that a setting has no effect, and why. */
export function describeIneffective({ name, reason }: IneffectiveSetting): string {
  return `${name} has no effect: ${reason}`;
}
