/** The fields of a list in the address of the page: any text, or one of several values, of which the first is the default. */
export type ListFields = Readonly<Record<string, string | readonly string[]>>;

/** What a list shows, for example its search, filters and order. */
export type ListState<Fields extends ListFields> = {
  readonly [Name in keyof Fields]: Fields[Name] extends readonly (infer Value)[] ? Value : string;
};

type Search = Readonly<Record<string, unknown>>;

/** Returns the state in the parameters of an address. An address can contain anything: what is not valid is the default. */
export function readListSearch<const Fields extends ListFields>(
  fields: Fields,
  search: Search,
): ListState<Fields> {
  const state = Object.entries(fields).map(([name, field]) => [
    name,
    readField(field, search[name]),
  ]);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one value for each field
  return Object.fromEntries(state) as ListState<Fields>;
}

function readField(field: string | readonly string[], value: unknown): string {
  // The router reads digits as a number.
  const text = typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  if (typeof field === "string") return text ?? field;
  return field.find((allowed) => allowed === text) ?? field[0] ?? "";
}

/** Returns the parameters for a state. Defaults are undefined, so that they are not in the address. */
export function toListSearch(
  fields: ListFields,
  state: Search,
): Readonly<Record<string, string | undefined>> {
  const valid = readListSearch(fields, state);
  const defaults = readListSearch(fields, {});
  return Object.fromEntries(
    Object.entries(valid).map(([name, value]) => [
      name,
      value === defaults[name] ? undefined : value,
    ]),
  );
}

/** The parameters of a page with a list, for the router. */
export function listSearch<const Fields extends ListFields>(fields: Fields) {
  return (search: Search): Partial<ListState<Fields>> =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields that differ from their defaults
    Object.fromEntries(
      Object.entries(toListSearch(fields, search)).filter(([, value]) => value !== undefined),
    ) as Partial<ListState<Fields>>;
}
