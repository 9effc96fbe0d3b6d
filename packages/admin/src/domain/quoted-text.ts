/** Whether a text cannot be written between quotes in a rule: the official SDKs with a native engine do that without escaping it. */
export function breaksQuotes(text: string): boolean {
  return /"|\\$/.test(text);
}
