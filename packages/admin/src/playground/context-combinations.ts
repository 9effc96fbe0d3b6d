import type { Context } from "./schemas.ts";

/** Every combination of the values in a context. */
export interface Combinations {
  readonly count: number;
  /**
   * Returns one combination.
   *
   * @param index from 0
   */
  readonly at: (index: number) => Context;
}

/**
 * Combines the values in a context, which are separated by commas: `userId: "1,2"` stands for two users. Without
 * a comma, there is a single combination.
 */
export function combineValues({ properties, ...fields }: Context): Combinations {
  const dimensions = [
    ...Object.entries(fields).map(([name, value]) => toDimension(name, value, false)),
    ...Object.entries(properties ?? {}).map(([name, value]) => toDimension(name, value, true)),
  ];
  const count = dimensions.reduce((product, { values }) => product * values.length, 1);
  return {
    count,
    at: (index) => {
      const combined = choose(dimensions, index);
      const toObject = (inProperties: boolean) =>
        Object.fromEntries(
          combined
            .filter((each) => each.isProperty === inProperties)
            .map(({ name, value }) => [name, value]),
        );
      return {
        ...toObject(false),
        ...(properties !== undefined && { properties: toObject(true) }),
      } as Context;
    },
  };
}

interface Dimension {
  readonly name: string;
  readonly isProperty: boolean;
  readonly values: readonly unknown[];
}

function toDimension(name: string, value: unknown, isProperty: boolean): Dimension {
  const values = typeof value === "string" ? value.split(",").map((one) => one.trim()) : [value];
  return { name, isProperty, values };
}

/** Chooses one value of each dimension. The last dimension changes with each index. */
function choose(dimensions: readonly Dimension[], index: number) {
  let rest = index;
  return dimensions
    .toReversed()
    .map(({ name, isProperty, values }) => {
      const value = values[rest % values.length];
      rest = Math.floor(rest / values.length);
      return { name, isProperty, value };
    })
    .toReversed();
}
