interface Ordered {
  readonly name: string;
  readonly sortOrder: number;
}

/** A place for a new environment in the order of all. */
interface Position {
  /** The environment that it follows; undefined for the first place. */
  readonly after: string | undefined;
  readonly sortOrder: number;
}

/** The distance to the last environment, which leaves numbers for others in between. */
const DISTANCE = 100;
const MAX_SORT_ORDER = 2 ** 31 - 1;

/**
 * Lists the places for a new environment, in their order.
 *
 * @param environments in the order of the service: of several with the same number, a new one is the last
 */
export function listPositions(environments: readonly Ordered[]): readonly Position[] {
  const [first] = environments;
  const places = environments.flatMap(({ name, sortOrder }, index): Position[] => {
    const next = environments[index + 1]?.sortOrder ?? sortOrder + 2 * DISTANCE;
    const middle = Math.min(Math.floor((sortOrder + next) / 2), MAX_SORT_ORDER);
    return next === sortOrder ? [] : [{ after: name, sortOrder: middle }];
  });
  // There is no number before 0.
  if (first?.sortOrder === 0) return places;
  return [
    { after: undefined, sortOrder: Math.floor((first?.sortOrder ?? 2 * DISTANCE) / 2) },
    ...places,
  ];
}

/** Returns the sort orders of all environments after one of them has been moved, by name. */
export function moveAfter(
  environments: readonly Ordered[],
  moved: string,
  after: string | undefined,
): Readonly<Record<string, number>> {
  const names = environments.map(({ name }) => name).filter((name) => name !== moved);
  names.splice(after === undefined ? 0 : names.indexOf(after) + 1, 0, moved);
  return Object.fromEntries(names.map((name, index) => [name, (index + 1) * DISTANCE]));
}
