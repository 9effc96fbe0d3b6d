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
  legalValues: "allowed value",
  tagTypes: "tag type",
  strategyTypes: "strategy type",
  values: "value",
};

/** What the entries of lists for all flags are called. A flag has one state in the environment of the file. */
const PARTS_OF_FLAGS: Readonly<Record<string, string>> = {
  featureStrategies: "strategy",
  featureEnvironments: "",
  featureTags: "tag",
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
    const list = current;
    current = childOf(list, step);
    if (/^\d+$/.test(step) && parent !== undefined) {
      words.pop();
      words.push(
        describePartOfFlag(parent, list, Number(step)) ??
          `${PARTS[parent] ?? parent} ${nameOf(parent, current) ?? Number(step) + 1}`,
      );
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

/** Describes an entry of a list for all flags, for example `flag "checkout", strategy 2`. */
function describePartOfFlag(property: string, list: unknown, index: number): string | undefined {
  const part = PARTS_OF_FLAGS[property];
  if (part === undefined || !Array.isArray(list)) return undefined;
  const flags = list.slice(0, index + 1).map((entry) => childOf(entry, "featureName"));
  const flag = flags[index];
  if (typeof flag !== "string") return undefined;
  const number = flags.filter((name) => name === flag).length;
  const name = `flag ${JSON.stringify(flag)}`;
  return part === "" ? name : `${name}, ${part} ${number}`;
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
