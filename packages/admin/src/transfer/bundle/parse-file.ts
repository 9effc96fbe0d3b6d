import type { ApiError } from "../../errors.ts";
import { badFile } from "./describe-place.ts";

/** In a service. Parsing YAML blocks the event loop for a second per megabyte or more. */
export const MAX_YAML_BYTES = 1024 * 1024;

/**
 * Parses the text of a file: JSON if it begins with a brace or a bracket, otherwise YAML. Errors contain nothing of the text,
 * because it may be another file, with secrets.
 *
 * @param maxYamlBytes of a text in YAML
 * @throws {ApiError} 400 that says where it is invalid
 */
export async function parseFile(text: string, maxYamlBytes: number): Promise<unknown> {
  const content = text.replace(/^\uFEFF/, "");
  return /^\s*[[{]/.test(content) ? parseJson(content) : parseYaml(content, maxYamlBytes);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [, offset] = /position (\d+)/.exec(String(error)) ?? [];
    throw invalid("JSON", text, offset === undefined ? text.length : Number(offset));
  }
}

async function parseYaml(text: string, maxBytes: number): Promise<unknown> {
  if (Buffer.byteLength(text) > maxBytes) {
    throw badFile(
      `is YAML and larger than ${maxBytes / 1024} KiB: import it with flags-admin import, or convert it to JSON, which is parsed much faster`,
    );
  }
  // NOTE: loaded only for YAML, because few files are.
  const { parseDocument } = await import("yaml");
  const document = parseDocument(text, { prettyErrors: false });
  const [error] = document.errors;
  if (error !== undefined) throw invalid("YAML", text, error.pos[0]);
  try {
    return document.toJS();
  } catch {
    throw badFile("is not valid YAML: it has too many aliases, or aliases of nothing");
  }
}

function invalid(format: string, text: string, offset: number): ApiError {
  const lines = text.slice(0, offset).split("\n");
  return badFile(
    `is not valid ${format}: see line ${lines.length}, column ${(lines.at(-1)?.length ?? 0) + 1}`,
  );
}
