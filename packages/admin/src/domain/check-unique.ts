import { badData } from "../errors.ts";

/**
 * @param path of the list, such as `/body/variants`
 * @throws {ApiError} if a name occurs twice, with the path of the second occurrence
 */
export function checkUniqueNames(items: readonly { readonly name: string }[], path: string): void {
  checkUnique(
    items.map(({ name }) => name),
    (index) => `${path}/${index}/name`,
  );
}

/**
 * @param pathOf returns the path of an entry by its index, such as `/body/legalValues/1/value`
 * @throws {ApiError} if a value occurs twice, with the path of the second occurrence
 */
export function checkUnique(values: readonly string[], pathOf: (index: number) => string): void {
  const seen = new Set<string>();
  for (const [index, value] of values.entries()) {
    if (seen.has(value)) throw badData(pathOf(index), `is a duplicate: ${JSON.stringify(value)}`);
    seen.add(value);
  }
}
