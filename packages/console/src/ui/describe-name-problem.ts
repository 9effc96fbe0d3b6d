/**
 * Returns what is wrong with a new name that becomes part of URLs; undefined if the service accepts it.
 * Whether it is missing is checked by the field.
 */
export function describeNameProblem(name: string): string | undefined {
  if (name === "." || name === "..") return "Choose a name other than . and ..";
  if (/^[\w.!~*'()-]*$/.test(name)) return undefined;
  return "Use only letters without accents, digits, and the characters - _ . ! ~ * ' ( )";
}
