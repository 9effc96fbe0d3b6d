import { ownValue } from "../ui/own-value.ts";

/** The usual types of environments. They have no effect on evaluation. */
export const ENVIRONMENT_TYPES: Readonly<Record<string, string>> = {
  development: "Development",
  test: "Test",
  preproduction: "Pre-production",
  production: "Production",
};

/** Returns the name of a type. Unknown ones are shown as they are. */
export function describeEnvironmentType(type: string): string {
  return ownValue(ENVIRONMENT_TYPES, type) ?? type;
}
