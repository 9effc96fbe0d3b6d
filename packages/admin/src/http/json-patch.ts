import { isDeepStrictEqual } from "node:util";
import { type Static, type TSchema, Type } from "typebox";
import { badData } from "../errors.ts";
import { closedObject } from "./schemas.ts";
import { toValidationError } from "./to-api-error.ts";
import { compileOnUse } from "./validation.ts";

const OPERATIONS = ["add", "copy", "move", "remove", "replace", "test"] as const;

const PatchOperationBody = closedObject("patchSchema", {
  op: Type.Unsafe<(typeof OPERATIONS)[number]>({ type: "string", enum: [...OPERATIONS] }),
  path: Type.String({ maxLength: 1000 }),
  from: Type.Optional(Type.String({ maxLength: 1000 })),
  value: Type.Optional(Type.Unknown()),
});

/** A JSON Patch, RFC 6902. */
export const JsonPatchBody = Type.Array(PatchOperationBody, { maxItems: 1000 });

/** One operation of a JSON Patch. */
export type PatchOperation = Readonly<Type.Static<typeof PatchOperationBody>>;

type Container = unknown[] | Map<string, unknown>;

/** Limit on the copied text. Repeated copies of copies would otherwise exhaust the memory. */
const MAX_COPIED_CHARACTERS = 1024 * 1024;

/** More than any valid document has. Repeated moves could otherwise nest values without limit. */
const MAX_DEPTH = 100;

/** Returns a copy of the document with all operations of a patch applied. */
type ApplyPatch<Result> = (document: unknown, patch: readonly PatchOperation[]) => Result;

/**
 * Compiles the schema of patched documents to a function, which throws an `ApiError` if an operation cannot be applied
 * or the result does not match the schema.
 */
export function compilePatch<Schema extends TSchema>(schema: Schema): ApplyPatch<Static<Schema>> {
  const findViolations = compileOnUse(schema);
  return (document, patch) => {
    const patched = applyPatch(document, patch);
    const violations = findViolations(patched);
    if (violations === undefined) return patched as Static<Schema>;
    throw toValidationError("/patched", violations);
  };
}

function applyPatch(document: unknown, patch: readonly PatchOperation[]): unknown {
  // NOTE: objects become maps, because member names such as `__proto__` must not reach a prototype.
  let root = toMaps(JSON.parse(JSON.stringify(document)));
  let copied = 0;
  let depth = depthOf(document);
  for (const [index, operation] of patch.entries()) {
    const at = `/body/${index}`;
    copied += countCopied(root, operation, at);
    if (copied > MAX_COPIED_CHARACTERS) throw badData(`${at}/from`, "makes the copies too large");
    depth = Math.max(depth, depthAfter(depth, operation, at));
    if (depth > MAX_DEPTH) throw badData(`${at}/path`, "nests values too deeply");
    root = applyOperation(root, operation, at);
  }
  return fromMaps(root);
}

/** Returns an upper bound of the depth of the part of the document that an operation changes. */
function depthAfter(depth: number, operation: PatchOperation, at: string): number {
  const path = parsePointer(operation.path, `${at}/path`);
  if (operation.op === "add" || operation.op === "replace") {
    return path.length + depthOf(operation.value);
  }
  if (operation.op !== "copy" && operation.op !== "move") return 0;
  return depth + path.length - parseFrom(operation, at).length;
}

function depthOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  return 1 + Object.values(value).reduce<number>((max, each) => Math.max(max, depthOf(each)), 0);
}

function applyOperation(root: unknown, operation: PatchOperation, at: string): unknown {
  const tokens = parsePointer(operation.path, `${at}/path`);
  switch (operation.op) {
    case "add":
      return insert(root, tokens, { value: parseValue(operation, at), at });
    case "replace":
      return insert(remove(root, tokens, at), tokens, { value: parseValue(operation, at), at });
    case "remove":
      return remove(root, tokens, at);
    case "test":
      if (isDeepStrictEqual(read(root, tokens, at), parseValue(operation, at))) return root;
      throw badData(`${at}/value`, "does not equal the current value");
    default:
      return transfer(root, operation, at);
  }
}

function countCopied(root: unknown, operation: PatchOperation, at: string): number {
  if (operation.op !== "copy") return 0;
  return JSON.stringify(fromMaps(read(root, parseFrom(operation, at), at))).length;
}

function transfer(root: unknown, operation: PatchOperation, at: string): unknown {
  const from = parseFrom(operation, at);
  const tokens = parsePointer(operation.path, `${at}/path`);
  const value = read(root, from, at);
  return operation.op === "move"
    ? insert(remove(root, from, at), tokens, { value, at })
    : insert(root, tokens, { value: toMaps(fromMaps(value)), at });
}

function parseFrom({ from }: PatchOperation, at: string): readonly string[] {
  if (from === undefined) throw badData(`${at}/from`, "is missing");
  return parsePointer(from, `${at}/from`);
}

function parseValue(operation: PatchOperation, at: string): unknown {
  if (operation.value === undefined) throw badData(`${at}/value`, "is missing");
  return toMaps(operation.value);
}

function read(root: unknown, tokens: readonly string[], at: string): unknown {
  let value = root;
  for (const token of tokens) {
    const container = toContainer(value, at);
    const key = existingKey(container, token, at);
    value = Array.isArray(container) ? container[Number(key)] : container.get(token);
  }
  return value;
}

interface Insertion {
  readonly value: unknown;
  readonly at: string;
}

function insert(root: unknown, tokens: readonly string[], { value, at }: Insertion): unknown {
  const last = tokens.at(-1);
  if (last === undefined) return value;
  const container = toContainer(read(root, tokens.slice(0, -1), at), at);
  if (Array.isArray(container)) container.splice(insertionIndex(container, last, at), 0, value);
  else container.set(last, value);
  return root;
}

function remove(root: unknown, tokens: readonly string[], at: string): unknown {
  const last = tokens.at(-1);
  if (last === undefined) return undefined;
  const container = toContainer(read(root, tokens.slice(0, -1), at), at);
  const key = existingKey(container, last, at);
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else container.delete(last);
  return root;
}

function existingKey(container: Container, token: string, at: string): string {
  const exists = Array.isArray(container)
    ? isIndex(token) && Number(token) < container.length
    : container.has(token);
  if (!exists) throw badData(`${at}/path`, "does not exist");
  return token;
}

function insertionIndex(container: readonly unknown[], token: string, at: string): number {
  if (token === "-") return container.length;
  if (isIndex(token) && Number(token) <= container.length) return Number(token);
  throw badData(`${at}/path`, "is beyond the end of the list");
}

function isIndex(token: string): boolean {
  return /^(0|[1-9]\d{0,8})$/.test(token);
}

function toContainer(value: unknown, at: string): Container {
  if (Array.isArray(value) || value instanceof Map) return value as Container;
  throw badData(`${at}/path`, "does not exist");
}

function toMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toMaps);
  if (typeof value !== "object" || value === null || value instanceof Map) return value;
  return new Map(Object.entries(value).map(([key, member]) => [key, toMaps(member)]));
}

function fromMaps(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromMaps);
  if (!(value instanceof Map)) return value;
  return Object.fromEntries(
    [...(value as Map<string, unknown>)].map(([key, member]) => [key, fromMaps(member)]),
  );
}

/**
 * Splits a JSON Pointer, RFC 6901, into tokens. The pointer to the whole document has none.
 *
 * @param at path of the pointer in the request
 * @throws {ApiError} if the pointer is malformed
 */
function parsePointer(pointer: string, at: string): readonly string[] {
  if (pointer === "") return [];
  if (!pointer.startsWith("/")) throw badData(at, "must start with a slash");
  return pointer
    .slice(1)
    .split("/")
    .map((token) => {
      if (/~(?![01])/.test(token)) throw badData(at, "must write ~ as ~0 and / as ~1");
      return token.replaceAll("~1", "/").replaceAll("~0", "~");
    });
}
