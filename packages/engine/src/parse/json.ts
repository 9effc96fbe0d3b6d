import type { Report } from "./diagnostics.ts";

/** A parsed JSON object whose members have not been checked yet. */
export type JsonObject = Readonly<Record<string, unknown>>;

/** The input is not a valid document or delta. The message names the invalid part. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
}

export function isRecord(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** @throws {DocumentError} if it is not an object; the message begins with `name` */
export function requireObject(value: unknown, name: string): JsonObject {
  if (isRecord(value)) return value;
  throw new DocumentError(`${name} must be an object: found ${describeType(value)}`);
}

/** @throws {DocumentError} if it is not a list of objects; the message begins with `name` */
export function requireObjects(value: unknown, name: string): readonly JsonObject[] {
  if (!Array.isArray(value)) {
    throw new DocumentError(`${name} must be a list: found ${describeType(value)}`);
  }
  for (const [index, entry] of value.entries()) requireObject(entry, `${name}[${index}]`);
  return value as readonly JsonObject[];
}

export function textOrUndefined(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/**
 * Converts a value to a boolean as JavaScript does, like the official SDK: the texts "off" and "false" are true.
 * Reports a value that is not a boolean, unless it is missing.
 */
export function parseBoolean(value: unknown, name: string, report: Report): boolean {
  if (typeof value !== "boolean" && value !== undefined && value !== null) {
    const found = describeType(value);
    report(`${name} must be true or false, found ${found}: treated as ${Boolean(value)}`);
  }
  return Boolean(value);
}

/** Describes the type of a value for messages such as "must be a list: found an object". */
export function describeType(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
