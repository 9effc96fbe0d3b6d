/** What the payload of a variant contains. The service stores all of them as text. */
export const PAYLOAD_TYPES = {
  none: "None",
  string: "Text",
  json: "JSON",
  csv: "Comma-separated values",
  number: "Number",
} as const;

/** Returns what is wrong with a payload; undefined if it is valid. */
export function describePayloadProblem(type: string, value: string): string | undefined {
  if (type === "number") {
    const isNumber = value.trim() !== "" && !Number.isNaN(Number(value));
    return isNumber ? undefined : "Enter a number, for example 5 or 0.25.";
  }
  if (type !== "json") return undefined;
  try {
    JSON.parse(value);
    return undefined;
  } catch (error) {
    return `This is not valid JSON: ${error instanceof Error ? error.message : "it cannot be parsed"}`;
  }
}
