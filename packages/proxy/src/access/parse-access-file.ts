import { Compile } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { type Document, isAlias, isNode, LineCounter, parseDocument, visit } from "yaml";
import {
  type AccessFileContent,
  AccessFileSchema,
  MIN_SIGNING_SECRET_LENGTH,
} from "./access-schema.ts";

/** Where a value is in the content. */
type ContentPath = readonly (string | number)[];

/** A problem of one value. Messages contain no values, which can be secret. */
interface ContentProblem {
  readonly path: ContentPath;
  readonly message: string;
}

/** Describes a problem, with the line and column of the value. */
export type DescribeProblem = (problem: ContentProblem) => string;

/** The content of a file with the function that locates its values, or its problems as sentences. */
type ParsedAccessFile =
  | { readonly content: AccessFileContent; readonly describe: DescribeProblem }
  | { readonly problems: readonly string[] };

/** More problems are not listed: they usually have the same cause. */
export const MAX_PROBLEMS = 20;

const validator = Compile(AccessFileSchema);

/**
 * Parses the text of an access file, in YAML or JSON, and checks it against its schema.
 *
 * JSON is read by the parser of the runtime, which takes a few milliseconds for thousands of keys. The YAML
 * parser takes more than a hundred times as long, during which it blocks other requests. It is used for YAML,
 * and to locate problems.
 */
export function parseAccessFile(text: string): ParsedAccessFile {
  const value = parseJson(text);
  if (value === undefined || !validator.Check(value)) return parseYaml(text);
  let describe: DescribeProblem | undefined;
  return {
    content: value,
    describe: (problem) => {
      describe ??= parseWithPositions(text).describe;
      return describe(problem);
    },
  };
}

function parseYaml(text: string): ParsedAccessFile {
  const { document, lines, describe } = parseWithPositions(text);
  const syntax = [
    ...document.errors.map(({ code, pos }) =>
      at(lines, pos[0], `is not valid YAML or JSON (${code.toLowerCase().replaceAll("_", " ")})`),
    ),
    ...findAliases(document, lines),
  ];
  if (syntax.length > 0) return { problems: syntax.slice(0, MAX_PROBLEMS) };
  const content: unknown = document.toJS();
  if (validator.Check(content)) return { content, describe };
  const problems = toProblems(validator.Errors(content)).map(describe);
  return { problems: [...new Set(problems)].slice(0, MAX_PROBLEMS) };
}

function parseWithPositions(text: string) {
  const lines = new LineCounter();
  // NOTE: pretty errors would repeat lines of the file, which contain keys.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const describe: DescribeProblem = ({ path, message }) => {
    const subject = path.length === 0 ? "the file" : `\`${showPath(path)}\``;
    return at(lines, offsetOf(document, path), `${subject} ${message}`);
  };
  return { document, lines, describe };
}

/** Parses JSON; undefined for other text, and for JSON that repeats a property. */
function parseJson(text: string): unknown {
  if (!text.trimStart().startsWith("{")) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return countNames(text) === countProperties(value) ? value : undefined;
}

const STRING = /"(?:[^"\\]|\\.)*"(?<colon>\s*:)?/g;

/** The number of names of properties in valid JSON: the strings before a colon. */
function countNames(text: string): number {
  let count = 0;
  for (const { groups } of text.matchAll(STRING)) if (groups?.["colon"] !== undefined) count += 1;
  return count;
}

function countProperties(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const values: readonly unknown[] = Object.values(value);
  const nested = values.reduce<number>((sum, entry) => sum + countProperties(entry), 0);
  return Array.isArray(value) ? nested : nested + values.length;
}

/** NOTE: an unquoted key such as `*:production.secret` is an alias in YAML. */
function findAliases(document: Document, lines: LineCounter): readonly string[] {
  const problems: string[] = [];
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) {
        problems.push(
          at(
            lines,
            node.range?.[0],
            "begins with `*`, which has a meaning in YAML: put the value in quotes",
          ),
        );
      } else if ("anchor" in node && node.anchor !== undefined) {
        problems.push(
          at(
            lines,
            node.range?.[0],
            "begins with `&`, which has a meaning in YAML: put the value in quotes",
          ),
        );
      }
    },
  });
  return problems;
}

function at(lines: LineCounter, offset: number | undefined, message: string): string {
  const { line, col } = lines.linePos(offset ?? 0);
  return `line ${Math.max(line, 1)}, column ${Math.max(col, 1)}: ${message}`;
}

/** The position of a value, or if it is missing, of the value that should contain it. */
function offsetOf(document: Document, path: ContentPath): number | undefined {
  for (let length = path.length; length >= 0; length--) {
    const node: unknown =
      length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return undefined;
}

function showPath(path: ContentPath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${part}`))
    .join("")
    .replace(/^\./, "");
}

function toProblems(errors: readonly TLocalizedValidationError[]): readonly ContentProblem[] {
  const choices = errors.filter(({ keyword }) => keyword === "anyOf");
  // The errors of the alternatives say less than the choice itself.
  const isOfAlternative = ({ keyword, instancePath }: TLocalizedValidationError): boolean =>
    keyword !== "anyOf" &&
    choices.some(
      (choice) =>
        instancePath === choice.instancePath || instancePath.startsWith(`${choice.instancePath}/`),
    );
  return errors.flatMap((error): readonly ContentProblem[] => {
    if (isOfAlternative(error)) return [];
    const path = toPath(error.instancePath);
    switch (error.keyword) {
      case "required":
        return error.params.requiredProperties.map((name) => ({
          path,
          message: `has no \`${name}\`, which is required`,
        }));
      case "additionalProperties":
        return error.params.additionalProperties.map((name) => ({
          path: [...path, name],
          message: "is unknown: check its spelling",
        }));
      case "type":
        return [
          {
            path,
            message: `must be ${TYPE_NAMES[String(error.params.type)] ?? "of another type"}`,
          },
        ];
      case "pattern":
        return [{ path, message: explainPattern(path) }];
      case "enum":
        return [{ path, message: `must be one of ${error.params.allowedValues.join(", ")}` }];
      case "anyOf":
        return [
          { path, message: CHOICES[String(path.at(-1))] ?? "must be text or a list of texts" },
        ];
      case "boolean":
        // Other errors report the same problem more precisely.
        return [];
      default:
        return [{ path, message: error.message }];
    }
  });
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: "a list",
  boolean: "true or false",
  integer: "a whole number",
  number: "a number",
  object: "an object",
  string: "text: put it in quotes",
};

/** What the value of a field with alternatives must be. */
const CHOICES: Readonly<Record<string, string>> = {
  kind: "must be `client` or `server`",
  secret: `must be text of at least ${MIN_SIGNING_SECRET_LENGTH} characters, or a list of such texts`,
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

function explainPattern(path: ContentPath): string {
  const field = path.findLast((part) => typeof part === "string");
  return PATTERNS[String(field)] ?? "does not have the required form";
}

function toPath(pointer: string): ContentPath {
  return pointer
    .split("/")
    .slice(1)
    .map((part) =>
      /^\d+$/.test(part) ? Number(part) : part.replaceAll("~1", "/").replaceAll("~0", "~"),
    );
}
