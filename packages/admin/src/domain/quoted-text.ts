/** Whether a string cannot be quoted in a rule: the official SDKs with a native engine put it in quotes without escaping it. */
export function breaksQuotes(text: string): boolean {
  return /"|\\$/.test(text);
}
