import { AGE_HEADER } from "flags-sdk/neutral";
import type { SettingName, Values } from "./settings.ts";

/** The values of the settings whose names begin with a prefix, without it. */
type GroupOf<Prefix extends string> = {
  readonly [
    Name in SettingName as Name extends `${Prefix}${infer Rest}` ? Uncapitalize<Rest> : never
  ]: Values[Name];
};

/** Cross-origin rules. */
export type CorsConfig = GroupOf<"cors">;

export function groupOf<Prefix extends "cors" | "push" | "store">(
  values: object,
  prefix: Prefix,
): GroupOf<Prefix> {
  const members = Object.entries(values)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]: [string, unknown]) => {
      const rest = name.slice(prefix.length);
      return [`${rest.charAt(0).toLowerCase()}${rest.slice(1)}`, value];
    });
  return Object.freeze(Object.fromEntries(members)) as GroupOf<Prefix>;
}

/** Returns the cross-origin rules: scripts can read the age of flags, if responses contain it. */
export function toCorsConfig(values: { readonly ageHeader: boolean }): CorsConfig {
  const cors = groupOf(values, "cors");
  if (!values.ageHeader) return cors;
  return { ...cors, exposedHeaders: [...cors.exposedHeaders, AGE_HEADER] };
}
