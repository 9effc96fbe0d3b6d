import { parse, type ValueNode } from "@humanwhocodes/momoa";
import { runToEnd } from "flags-engine";
import { readJson } from "flags-sdk/neutral";
import { toErrorMessage } from "flags-server-kit/neutral";
import type * as Yaml from "yaml";
import { FileError } from "./read-file.ts";

/** Where a value is in a document. */
export type ValuePath = readonly (string | number)[];

export interface ParsedText {
  readonly value: unknown;
  /** Describes where a value is, such as `line 3, column 7`. */
  readonly locate: (path: ValuePath) => string;
}

interface ParseOptions {
  /**
   * Whether the text contains keys. Messages then contain nothing of it. Names that occur twice and aliases are rejected:
   * they are mistakes, for example a key that begins with `*` and is not in quotes.
   *
   * @default false
   */
  readonly hasSecrets?: boolean;
}

/** Parsing YAML, and finding positions in JSON, blocks the event loop for a second per megabyte or more. */
const MAX_SLOW_BYTES = 1024 * 1024;

const MAX_PROBLEMS = 5;

/**
 * Parses JSON. Positions are found only when they are needed, and not in large files.
 *
 * @throws {FileError} if it is invalid
 */
export function parseJson(text: string, { hasSecrets = false }: ParseOptions = {}): ParsedText {
  const isLarge = Buffer.byteLength(text) > MAX_SLOW_BYTES;
  let value: unknown;
  try {
    value = runToEnd(readJson(text));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new FileError([toErrorMessage(error)]);
    const offset = isLarge ? undefined : findJsonError(text);
    if (offset === undefined) throw new FileError(["it is not valid JSON"]);
    const found = hasSecrets ? "character" : JSON.stringify(text[offset]);
    const reason = offset < text.length ? `unexpected ${found}` : "it ends here";
    throw new FileError([`${describePosition(text, offset)}: not valid JSON, ${reason}`]);
  }
  if (hasSecrets && countNames(text) > countProperties(value)) {
    const offset = isLarge ? undefined : findRepeatedName(parse(text).body);
    const where = offset === undefined ? "" : `${describePosition(text, offset)}: `;
    throw new FileError([`${where}a name occurs twice in the same object`]);
  }
  const locate = createLocate(text, createJsonLocator(text));
  return { value, locate: isLarge ? () => "at an unknown position" : locate };
}

const STRING_OR_NAME = /"[^"\\]*(?:\\.[^"\\]*)*"(\s*:)?/g;

/** Counts the names of properties in valid JSON. */
function countNames(text: string): number {
  let count = 0;
  for (const [, colon] of text.matchAll(STRING_OR_NAME)) if (colon !== undefined) count += 1;
  return count;
}

function countProperties(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const values = Object.values(value);
  const own = Array.isArray(value) ? 0 : values.length;
  return values.reduce<number>((count, child) => count + countProperties(child), own);
}

/** Returns the offset of a name that repeats another of the same object. */
function findRepeatedName(node: ValueNode): number | undefined {
  const members = node.type === "Object" ? node.members : [];
  const names = new Set<string>();
  for (const { name } of members) {
    const text = "value" in name ? name.value : name.name;
    if (names.has(text)) return name.loc.start.offset;
    names.add(text);
  }
  for (const { value } of node.type === "Array" ? node.elements : members) {
    const found = findRepeatedName(value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns the offset of the first character that is not valid JSON; undefined if it is not known. */
function findJsonError(text: string): number | undefined {
  try {
    parse(text);
    return undefined;
  } catch (error) {
    const { message, offset } = error as Error & { readonly offset?: number };
    return message.startsWith("Unexpected end of input") ? text.length : offset;
  }
}

function createJsonLocator(text: string): (path: ValuePath) => number | undefined {
  let root: ValueNode | undefined;
  return (path) => {
    root ??= parse(text).body;
    let node: ValueNode | undefined = root;
    for (const key of path) node = node && childOf(node, key);
    return node?.loc.start.offset;
  };
}

function childOf(node: ValueNode, key: string | number): ValueNode | undefined {
  if (node.type === "Array") return node.elements[Number(key)]?.value;
  if (node.type !== "Object") return undefined;
  return node.members.find(({ name }) => "value" in name && name.value === key)?.value;
}

/**
 * Parses YAML.
 *
 * @throws {FileError} if it is invalid or too large
 */
export async function parseYaml(
  text: string,
  { hasSecrets = false }: ParseOptions = {},
): Promise<ParsedText> {
  if (Buffer.byteLength(text) > MAX_SLOW_BYTES) {
    throw new FileError([
      `it is larger than ${MAX_SLOW_BYTES / 1024} KiB: convert it to JSON, which is parsed much faster`,
    ]);
  }
  // NOTE: loaded only for YAML, since it would slow down every start.
  const yaml = await import("yaml");
  // NOTE: pretty errors would repeat lines of the text.
  const document = yaml.parseDocument(text, { prettyErrors: false });
  const problems = document.errors.map(
    (error) =>
      `${describePosition(text, error.pos[0])}: not valid YAML, ${explainYamlError(error)}`,
  );
  if (hasSecrets) {
    for (const { offset, character } of findAliases(document, yaml)) {
      problems.push(
        `${describePosition(text, offset)}: begins with \`${character}\`, which has a meaning in YAML: put the value in quotes`,
      );
    }
  }
  if (problems.length > 0) throw new FileError(problems.slice(0, MAX_PROBLEMS));
  const offsetOf = (path: ValuePath): number | undefined => {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    return yaml.isNode(node) ? node.range?.[0] : undefined;
  };
  try {
    return { value: document.toJS(), locate: createLocate(text, offsetOf) };
  } catch (error) {
    throw new FileError([toErrorMessage(error)]);
  }
}

function findAliases(document: Yaml.Document, { isAlias, visit }: typeof Yaml) {
  const found: { offset: number; character: string }[] = [];
  const add = ({ range }: Yaml.Node, character: string) => {
    found.push({ offset: range?.[0] ?? 0, character });
  };
  visit(document, {
    Node: (_key, node) => {
      if (isAlias(node)) add(node, "*");
      else if (node.anchor !== undefined) add(node, "&");
    },
  });
  return found;
}

/** NOTE: only the messages about a missing character never contain parts of the text. */
function explainYamlError({ code, message }: Yaml.YAMLError): string {
  return code === "MISSING_CHAR"
    ? `${message.charAt(0).toLowerCase()}${message.slice(1)}`
    : code.toLowerCase().replaceAll("_", " ");
}

/** Returns a function that describes where a value is, or the one it would belong to. */
function createLocate(
  text: string,
  find: (path: ValuePath) => number | undefined,
): ParsedText["locate"] {
  return (path) => {
    for (let length = path.length; length > 0; length -= 1) {
      const offset = find(path.slice(0, length));
      if (offset !== undefined) return describePosition(text, offset);
    }
    return describePosition(text, find([]) ?? 0);
  };
}

export function describePosition(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (;;) {
    const end = text.indexOf("\n", start);
    if (end === -1 || end >= offset) return `line ${line}, column ${offset - start + 1}`;
    line += 1;
    start = end + 1;
  }
}
