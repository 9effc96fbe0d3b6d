/** Whether a string cannot be quoted in a rule: the official SDKs with a native engine put it in quotes without escaping it. */
export function breaksQuotes(text: string): boolean {
  return /"|\\$/.test(text);
}

const DECIMAL = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;

/** Whether the SDKs of all languages read a string as the same finite number. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text) && Number.isFinite(Number(text));
}
