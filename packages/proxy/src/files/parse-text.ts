import { complete } from "flags-engine";
import { readJson } from "flags-sdk";
import { FileError } from "./file-error.ts";
import { describePosition, JsonPositions, type ValuePath } from "./json-positions.ts";

/** A parsed text. */
export interface ParsedText {
  readonly value: unknown;
  /** Describes where a value is, such as `line 3, column 7`. */
  readonly locate: (path: ValuePath) => string;
}

/** Parsing YAML blocks the event loop for a second per megabyte or more. */
const MAX_YAML_BYTES = 1024 * 1024;

const MAX_PROBLEMS = 5;

/**
 * Parses the text of a file: as YAML if its name ends in `.yaml` or `.yml`, otherwise as JSON.
 *
 * @throws {FileError} if it is invalid
 */
export async function parseText(text: string, path: string): Promise<ParsedText> {
  if (text.trim() === "") throw new FileError(["it is empty"]);
  return /\.ya?ml$/i.test(path) ? parseYaml(text) : parseJson(text);
}

function parseJson(text: string): ParsedText {
  const positions = new JsonPositions(text);
  try {
    return {
      value: complete(readJson(text)),
      locate: (path) =>
        describePosition(
          text,
          findNearest(path, (part) => positions.find(part)),
        ),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw new FileError([describe(error)]);
    throw new FileError([describeSyntaxError(text)]);
  }
}

function describeSyntaxError(text: string): string {
  const offset = new JsonPositions(text).findError();
  if (offset === undefined) return "it is not valid JSON";
  const found =
    offset < text.length ? `unexpected ${JSON.stringify(text[offset])}` : "it ends here";
  return `${describePosition(text, offset)}: not valid JSON, ${found}`;
}

async function parseYaml(text: string): Promise<ParsedText> {
  if (Buffer.byteLength(text) > MAX_YAML_BYTES) {
    throw new FileError([
      `it is larger than ${MAX_YAML_BYTES / 1024} KiB: convert it to JSON, which is parsed much faster`,
    ]);
  }
  // NOTE: loaded only for YAML, since it would slow down every start.
  const { isNode, parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: false });
  const problems = document.errors.slice(0, MAX_PROBLEMS).map(({ code, pos }) => {
    const reason = code.toLowerCase().replaceAll("_", " ");
    return `${describePosition(text, pos[0])}: not valid YAML, ${reason}`;
  });
  if (problems.length > 0) throw new FileError(problems);
  const offsetOf = (path: ValuePath): number | undefined => {
    const node: unknown = path.length === 0 ? document.contents : document.getIn(path, true);
    return isNode(node) ? node.range?.[0] : undefined;
  };
  try {
    return {
      value: document.toJS(),
      locate: (path) => describePosition(text, findNearest(path, offsetOf)),
    };
  } catch (error) {
    throw new FileError([describe(error)]);
  }
}

/** Returns the offset of a value, or of the one it would belong to. */
function findNearest(path: ValuePath, find: (path: ValuePath) => number | undefined): number {
  for (let length = path.length; length > 0; length -= 1) {
    const offset = find(path.slice(0, length));
    if (offset !== undefined) return offset;
  }
  return find([]) ?? 0;
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
