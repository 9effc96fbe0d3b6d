import { nameSetting, type Setting } from "flags-server-kit";
import type { Product } from "./alias.ts";
import { EDGE_ALIASES } from "./edge-aliases.ts";

/** Names a setting that is missing, with the names that it has in the product whose settings are in use. */
export function nameMissing(setting: Setting<unknown>, products: readonly Product[]): string {
  const aliases = products.includes("edge") ? EDGE_ALIASES : [];
  const names = aliases
    .filter(({ to }) => setting.variables.some((variable) => to.includes(variable)))
    .map(({ name }) => name);
  return [...names, nameSetting(setting)].join(" or ");
}
