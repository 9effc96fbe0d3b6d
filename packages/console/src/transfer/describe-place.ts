/** What the parts of a project file are called, by the property that contains them. */
const PARTS: Readonly<Record<string, string>> = {
  features: "flag",
  environments: "environment",
  strategies: "strategy",
  constraints: "constraint",
  variants: "variant",
  tags: "tag",
  dependencies: "dependency",
  segments: "segment",
  contextFields: "context field",
  legalValues: "legal value",
  tagTypes: "tag type",
  strategyTypes: "strategy type",
  values: "value",
};

/**
 * Describes a place in a project file in words, for example `flag "checkout", environment "production",
 * strategy 2, operator`.
 *
 * @param path as in error responses, such as `/body/features/0/name`
 * @param file the content of the file, in which the names are looked up
 */
export function describePlace(path: string, file: unknown): string {
  const steps = path.split("/").slice(2).map(unescapeStep);
  const words: string[] = [];
  let current = file;
  for (const [index, step] of steps.entries()) {
    const parent = steps[index - 1];
    current = childOf(current, step);
    if (/^\d+$/.test(step) && parent !== undefined) {
      words.pop();
      words.push(`${PARTS[parent] ?? parent} ${nameOf(parent, current) ?? Number(step) + 1}`);
    } else {
      words.push(step === "features" ? "flags" : step);
    }
  }
  return words.join(", ");
}

function childOf(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? (value as Readonly<Record<string, unknown>>)[key]
    : undefined;
}

/** The name of a part, in quotation marks. */
function nameOf(part: string, value: unknown): string | undefined {
  // The name of a strategy is its type, and a constraint has none: they are counted.
  if (part === "strategies" || part === "constraints") return undefined;
  const name = childOf(value, "name") ?? childOf(value, "value") ?? value;
  return typeof name === "string" ? JSON.stringify(name) : undefined;
}

/** Reverses the escaping of JSON Pointer (RFC 6901). */
function unescapeStep(step: string): string {
  return step.replaceAll("~1", "/").replaceAll("~0", "~");
}
