import type { TSchema } from "typebox";
import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { findNearest } from "flags-server-kit/command-line";
import { isRecord } from "flags-server-kit/neutral";
import { describeSchemaError, toPath, type ValueProblem } from "../core/http/validation.ts";
import { parseJson, parseYaml, type ValuePath } from "../files/parse-text.ts";
import { type AccessFileKey, AccessFileSchema, KeySchema, MAX_KEYS } from "./access-schema.ts";

/** A problem of one value. Messages contain no values, which can be secret. */
interface ContentProblem {
  readonly path: ValuePath;
  readonly message: string;
}

/** Adds the line and column of the value. */
export type DescribeProblem = (problem: ContentProblem) => string;

interface ParsedAccessFile {
  /** The keys that match the schema, by their position in the file. */
  readonly keys: ReadonlyMap<number, AccessFileKey>;
  readonly describe: DescribeProblem;
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
  const keys = new Map<number, AccessFileKey>();
  const problems = [...findProblems(value, keys)].map(describe);
  return { keys, describe, problems: [...new Set(problems)] };
}

/**
 * Yields what does not match the schema, and adds the keys that do.
 *
 * NOTE: the validator takes a second to find the errors in thousands of keys, but milliseconds to find the keys
 * that have errors.
 */
function* findProblems(
  value: unknown,
  keys: Map<number, AccessFileKey>,
): Generator<ContentProblem, undefined> {
  if (!isRecord(value) || !Array.isArray(value["keys"])) {
    yield* toProblems(AccessFileSchema, validator.Errors(value));
    return undefined;
  }
  const entries: readonly unknown[] = value["keys"];
  if (entries.length > MAX_KEYS) {
    yield { path: ["keys"], message: `must not have more than ${MAX_KEYS} entries` };
    return undefined;
  }
  yield* toProblems(AccessFileSchema, validator.Errors({ ...value, keys: [] }));
  let invalidKeys = 0;
  for (const [index, key] of entries.entries()) {
    if (keyValidator.Check(key)) keys.set(index, key);
    else if ((invalidKeys += 1) <= MAX_PROBLEMS) {
      for (const { path, message } of toProblems(KeySchema, keyValidator.Errors(key))) {
        yield { path: ["keys", index, ...path], message };
      }
    }
  }
  return undefined;
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
    choices.some((choice) => `${instancePath}/`.startsWith(`${choice.instancePath}/`));
  return errors
    .filter((error) => !isOfAlternative(error))
    .flatMap((error) => explain(schema, error))
    .map(({ path, message }) => ({ path: path.map(toIndex), message }));
}

function toIndex(part: string): string | number {
  return /^\d+$/.test(part) ? Number(part) : part;
}

function explain(schema: TSchema, error: TLocalizedValidationError): readonly ValueProblem[] {
  const path = toPath(error.instancePath);
  const nodes = nodesOn(schema, error.schemaPath);
  switch (error.keyword) {
    case "additionalProperties":
      return error.params.additionalProperties.map((name) => ({
        path: [...path, name],
        message: `is unknown: ${suggest(name, nodes.at(-1))}`,
      }));
    case "anyOf":
    case "pattern": {
      const { description } = nodes.findLast((node) => node["description"] !== undefined) ?? {};
      return [{ path, message: `does not have the required form: ${String(description)}` }];
    }
    case "enum":
      return [{ path, message: `must be one of ${error.params.allowedValues.join(", ")}` }];
    case "boolean":
      // Other errors report the same problem more precisely.
      return [];
    default:
      return describeSchemaError(error);
  }
}

type SchemaNode = Readonly<Record<string, unknown>>;

function nodesOn(schema: TSchema, pointer: string): readonly SchemaNode[] {
  const nodes: SchemaNode[] = [{ ...schema }];
  for (const name of toPath(pointer)) {
    const node = nodes.at(-1)?.[name];
    nodes.push(isRecord(node) ? node : {});
  }
  return nodes;
}

function suggest(name: string, node: SchemaNode = {}): string {
  const known = isRecord(node["properties"]) ? Object.keys(node["properties"]) : [];
  const nearest = findNearest(name, known);
  return nearest === undefined ? "check its spelling" : `did you mean \`${nearest}\`?`;
}
