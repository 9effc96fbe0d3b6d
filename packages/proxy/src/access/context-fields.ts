import type { SentContext } from "../context/sent-context.ts";

/** Returns a context with only the named fields and properties. */
export function keepFields(
  { fields, properties }: SentContext,
  names: ReadonlySet<string>,
): SentContext {
  return { fields: keep(fields, names), properties: keep(properties, names) };
}

function keep<Values extends Readonly<Record<string, string>> | SentContext["fields"]>(
  values: Values,
  names: ReadonlySet<string>,
): Values {
  // NOTE: no prototype, so that any name is safe.
  const kept: Record<string, unknown> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    if (names.has(name)) kept[name] = value;
  }
  return kept as Values;
}
