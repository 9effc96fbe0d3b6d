import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { findNearest } from "flags-server-kit/command-line";
import { isRecord } from "flags-server-kit/neutral";
import {
  describeSchemaError,
  toPath,
  type ValueProblem,
} from "../core/http/describe-schema-error.ts";
import type { ValuePath } from "../files/json-positions.ts";
import { parseJson, parseYaml } from "../files/parse-text.ts";
import {
  type AccessFileKey,
  AccessFileSchema,
  KeySchema,
  MAX_KEYS,
  MIN_SIGNING_SECRET_LENGTH,
} from "./access-schema.ts";

/** A problem of one value. Messages contain no values, which can be secret. */
interface ContentProblem {
  readonly path: ValuePath;
  readonly message: string;
}

/** Describes a problem, with the line and column of the value. */
export type DescribeProblem = (problem: ContentProblem) => string;

/** The content of a file with the function that locates its values. */
interface ParsedAccessFile {
  /** The keys that match the schema, by their position in the file. */
  readonly keys: ReadonlyMap<number, AccessFileKey>;
  readonly describe: DescribeProblem;
  /** What does not match the schema. */
  readonly problems: readonly string[];
}

/** More problems are not listed: they usually have the same cause. */
export const MAX_PROBLEMS = 20;

const validator = Compile(AccessFileSchema);
const keyValidator = Compile(KeySchema);

/**
 * Parses the text of an access file, as JSON if it begins with `{`, otherwise as YAML, and checks it against its
 * schema.
 *
 * @throws {FileError} if it is neither valid JSON nor valid YAML
 */
export async function parseAccessFile(text: string): Promise<ParsedAccessFile> {
  const parse = text.trimStart().startsWith("{") ? parseJson : parseYaml;
  const { value, locate } = await parse(text, { hasSecrets: true });
  const describe: DescribeProblem = ({ path, message }) => {
    const subject = path.length === 0 ? "the file" : `\`${showPath(path)}\``;
    return `${locate(path)}: ${subject} ${message}`;
  };
  if (validator.Check(value))
    return { keys: new Map(value.keys.entries()), describe, problems: [] };
  const { keys, problems } = findProblems(value);
  return { keys, describe, problems: [...new Set(problems.map(describe))] };
}

interface Findings {
  readonly keys: ReadonlyMap<number, AccessFileKey>;
  readonly problems: readonly ContentProblem[];
}

/**
 * NOTE: the validator takes a second to find the errors in thousands of keys, but milliseconds to find the keys
 * that have errors.
 */
function findProblems(value: unknown): Findings {
  const none = new Map<number, AccessFileKey>();
  if (!isRecord(value) || !Array.isArray(value["keys"])) {
    return { keys: none, problems: toProblems(AccessFileSchema, validator.Errors(value)) };
  }
  const entries: readonly unknown[] = value["keys"];
  if (entries.length > MAX_KEYS) {
    const message = `must not have more than ${MAX_KEYS} entries`;
    return { keys: none, problems: [{ path: ["keys"], message }] };
  }
  const keys = new Map<number, AccessFileKey>();
  const problems = [...toProblems(AccessFileSchema, validator.Errors({ ...value, keys: [] }))];
  for (const [index, key] of entries.entries()) {
    if (keyValidator.Check(key)) keys.set(index, key);
    else if (problems.length < MAX_PROBLEMS) {
      const found = toProblems(KeySchema, keyValidator.Errors(key));
      problems.push(
        ...found.map(({ path, message }) => ({ path: ["keys", index, ...path], message })),
      );
    }
  }
  return { keys, problems };
}

function showPath(path: ValuePath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

function toProblems(
  schema: TSchema,
  errors: readonly TLocalizedValidationError[],
): readonly ContentProblem[] {
  const choices = errors.filter(({ keyword }) => keyword === "anyOf");
  // The errors of the alternatives say less than the choice itself.
  const isOfAlternative = ({ keyword, instancePath }: TLocalizedValidationError): boolean =>
    keyword !== "anyOf" &&
    choices.some(
      (choice) =>
        instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`),
    );
  return errors
    .filter((error) => !isOfAlternative(error))
    .flatMap((error) => explain(schema, error))
    .map(({ path, message }) => ({ path: path.map(toIndex), message }));
}

/** Describes an error in the words for fields of keys. */
function explain(schema: TSchema, error: TLocalizedValidationError): readonly ValueProblem[] {
  const path = toPath(error.instancePath);
  switch (error.keyword) {
    case "additionalProperties":
      return error.params.additionalProperties.map((name) => ({
        path: [...path, name],
        message: `is unknown: ${suggest(name, listFields(schema, error.schemaPath))}`,
      }));
    case "type": {
      const message = TYPES[String(error.params.type)];
      return message === undefined ? describeSchemaError(error) : [{ path, message }];
    }
    case "pattern":
      return [{ path, message: explainPattern(path) }];
    case "enum":
      return [{ path, message: `must be one of ${error.params.allowedValues.join(", ")}` }];
    case "anyOf":
      return [
        { path, message: CHOICES[path.at(-1) ?? ""] ?? "must be a string or a list of strings" },
      ];
    case "boolean":
      // Other errors report the same problem more precisely.
      return [];
    default:
      return describeSchemaError(error);
  }
}

function suggest(name: string, known: readonly string[]): string {
  const nearest = findNearest(name, known);
  return nearest === undefined ? "check its spelling" : `did you mean \`${nearest}\`?`;
}

/** Lists the fields of an object in a schema. */
function listFields(schema: TSchema, path: string): readonly string[] {
  const found = toPath(path).reduce<unknown>(
    (part, name) => (isRecord(part) ? part[name] : undefined),
    schema,
  );
  return isRecord(found) && isRecord(found["properties"]) ? Object.keys(found["properties"]) : [];
}

function toIndex(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

/** Messages that are more precise than those in responses. */
const TYPES: Readonly<Record<string, string>> = {
  boolean: "must be true or false",
  string: "must be a string: put it in quotes",
};

/** What the value of a field with alternatives must be. */
const CHOICES: Readonly<Record<string, string>> = {
  kind: "must be `client` or `server`",
  secret: `must be a string of at least ${MIN_SIGNING_SECRET_LENGTH} characters, or a list of such strings`,
  secretFile: "must be the path of a file, or a list of paths",
  publicKeyFile: "must be the path of a file, or a list of paths",
};

/** What the text of each field must look like. */
const PATTERNS: Readonly<Record<string, string>> = {
  name: "must consist of up to 100 letters, digits, `.`, `_` and `-`, and begin with a letter or digit",
  key: "must consist of up to 1000 visible ASCII characters, without spaces",
  keySha256: "must be a SHA-256 in 64 hexadecimal digits",
  environment: "must be the name of one environment, without spaces, `:`, `.` and `*`",
  projects: "must be the name of a project; for all projects, remove `projects`",
  origins:
    "must be an origin such as `https://app.example.com` or `https://*.example.com`, without a path",
  fields: "must be the name of a field, in visible ASCII characters without `:`",
  expiresAt: "must be a time with a time zone, such as `2027-01-31T00:00:00Z`",
};

function explainPattern(path: readonly string[]): string {
  const field = path.findLast((part) => typeof toIndex(part) === "string") ?? "";
  return PATTERNS[field] ?? "does not have the required form";
}
