import type { Context } from "./schemas.ts";

/** Returns the context in the form of the engine: other fields than the standard ones are properties. */
export function toEngineContext({ properties = {}, ...fields }: Context): Context {
  return { ...fields, properties };
}

/**
 * Returns every combination of the values in a context: `userId: "1,2"` stands for two users. Values are
 * separated by commas; without one, there is a single combination.
 *
 * @param limit the number of combinations to return at most; one more is returned if there are more
 */
export function combineValues(context: Context, limit: number): readonly Context[] {
  const { properties = {}, ...fields } = context;
  let combinations: readonly { fields: object; properties: object }[] = [
    { fields: {}, properties: {} },
  ];
  const extend = (target: "fields" | "properties", values: object): void => {
    for (const [name, value] of Object.entries(values)) {
      const options =
        typeof value === "string" ? value.split(",").map((one) => one.trim()) : [value];
      combinations = combinations
        .flatMap((each) =>
          options.map((option) => ({ ...each, [target]: { ...each[target], [name]: option } })),
        )
        .slice(0, limit + 1);
    }
  };
  extend("fields", fields);
  extend("properties", properties);
  return combinations.map((each) => ({
    ...each.fields,
    ...(context.properties !== undefined && { properties: each.properties }),
  })) as readonly Context[];
}
