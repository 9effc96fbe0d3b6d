import { rewordSchemaMessage } from "flags-server-kit/neutral";
import type { TSchema } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import type { TLocalizedValidationError } from "typebox/error";
import { HttpError, type Problem } from "./errors.ts";

/** The problems of a body with more values are not listed: finding them takes up to 100 ms. */
const MAX_EXPLAINED_VALUES = 2000;

/** No schema is deeper, so validators never read deeper values. */
const MAX_DEPTH = 6;

/** @throws {HttpError} a 400 that names the problems of a body that does not match its schema */
export function checkBody(schema: TSchema, body: unknown): void {
  // First, because it does not read the entries.
  if (findExcess(schema, body) !== undefined || !isValid(schema, body)) {
    throw explainBody(schema, body);
  }
}

export function isValid(schema: TSchema, value: unknown): boolean {
  return validatorOf(schema).Check(value);
}

export function explainBody(schema: TSchema, body: unknown): HttpError {
  const excess = findExcess(schema, body);
  return explain(excess === undefined ? findProblems(schema, body) : [excess]);
}

const validators = new WeakMap<TSchema, Validator>();

function validatorOf(schema: TSchema): Validator {
  const validator = validators.get(schema) ?? Compile(schema);
  validators.set(schema, validator);
  return validator;
}

function explain(problems: readonly Problem[]): HttpError {
  const [first] = problems;
  if (first === undefined) {
    return new HttpError(
      400,
      `Bad request: a value in the body has the wrong type. With more than ${MAX_EXPLAINED_VALUES} values, the proxy does not search for it: send fewer to see which one it is`,
    );
  }

  const subject = first.path === "" ? "the body" : `\`${first.path}\``;
  return new HttpError(400, `Bad request: ${subject} ${first.message}`, { problems });
}

function findProblems(schema: TSchema, body: unknown): readonly Problem[] {
  return hasManyValues(body) ? [] : toProblems(validatorOf(schema).Errors(body));
}

function hasManyValues(body: unknown): boolean {
  let count = 0;
  let level: readonly unknown[] = [body];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    count += level.length;
    if (count > MAX_EXPLAINED_VALUES) return true;
    level = level.flatMap((value) =>
      typeof value === "object" && value !== null ? (Object.values(value) as unknown[]) : [],
    );
  }
  return false;
}

const MAX_NAME_LENGTH = 100;

export function toProblems(errors: readonly TLocalizedValidationError[]): readonly Problem[] {
  return errors.flatMap((error): readonly Problem[] => {
    switch (error.keyword) {
      case "maxItems":
      case "maxProperties":
        return [tooMany(toPath(error.instancePath), error.params.limit)];
      case "additionalProperties":
      case "anyOf":
        // Other errors report the same problem more precisely, for a part of this value.
        return [];
      default:
        return describeSchemaError(error).map(({ path, message }) => ({
          path: joinPath(path),
          message,
        }));
    }
  });
}

function tooMany(path: readonly string[], limit: number): Problem {
  const message = `has more than ${limit} entries: send fewer, if necessary in several requests`;
  return { path: joinPath(path), message };
}

function joinPath(path: readonly string[]): string {
  return path
    .map((name) => (name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH)}…` : name))
    .join(".");
}

/** The part of a schema that limits the number of entries. */
interface Bounds {
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly properties?: Readonly<Record<string, Bounds>>;
}

function findExcess(
  bounds: Bounds,
  value: unknown,
  path: readonly string[] = [],
): Problem | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  const limit = isList ? bounds.maxItems : bounds.maxProperties;
  const countEntries = (): number => (isList ? value.length : Object.keys(value).length);
  if (limit !== undefined && countEntries() > limit) return tooMany(path, limit);
  return findWithin(bounds.properties ?? {}, value, path);
}

function findWithin(
  properties: Readonly<Record<string, Bounds>>,
  value: object,
  path: readonly string[],
): Problem | undefined {
  for (const [name, bounds] of Object.entries(properties)) {
    if (!Object.hasOwn(value, name)) continue;
    const found = findExcess(bounds, Reflect.get(value, name), [...path, name]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A problem of a value, which is within lists and objects. */
export interface ValueProblem {
  readonly path: readonly string[];
  readonly message: string;
}

export function describeSchemaError(error: TLocalizedValidationError): readonly ValueProblem[] {
  const path = toPath(error.instancePath);
  if (error.keyword !== "required") return [{ path, message: rewordSchemaMessage(error.message) }];
  return error.params.requiredProperties.map((name) => ({
    path: [...path, name],
    message: "is required",
  }));
}

export function toPath(pointer: string): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
}
