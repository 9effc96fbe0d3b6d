/**
 * Returns the value of a property that the object itself has.
 *
 * NOTE: a name that somebody has chosen can be that of a property that every object inherits, such as `constructor`.
 */
export function ownValue<Value>(
  object: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
