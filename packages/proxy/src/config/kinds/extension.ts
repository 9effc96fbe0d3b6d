import type { StorageProvider } from "flags-sdk";
import { createValueKind, type CustomLogger, InvalidValue, type Kind } from "flags-server-kit";

/** Paths of files and things given in code; what they are is checked when they are loaded. */
export const strategiesKind: Kind<readonly unknown[]> = {
  allowed: "a list of strategies and paths of files that export lists of them",
  allowedText: "a comma-separated list of paths",
  fromText: (text) =>
    text
      .split(",")
      .map((path) => path.trim())
      .filter((path) => path !== ""),
  fromValue: (value) => (Array.isArray(value) ? value : new InvalidValue()),
};

/** One path, or things given in code. */
export const enrichersKind: Kind<readonly unknown[]> = {
  allowed: "a list of functions and paths of files that export lists of them",
  allowedText: "the path of a file",
  fromText: (text) => [text],
  fromValue: (value) => (Array.isArray(value) ? value : new InvalidValue()),
};

/** A logger given in code. */
export const loggerKind: Kind<CustomLogger> = createObjectKind<CustomLogger>([
  "debug",
  "info",
  "warn",
  "error",
]);

/** A storage given in code. */
export const storageKind: Kind<StorageProvider> = createObjectKind<StorageProvider>(["get", "set"]);

function createObjectKind<T extends object>(methods: readonly (keyof T & string)[]): Kind<T> {
  return createValueKind(`an object with the methods ${methods.join(", ")}`, (value) => {
    if (typeof value !== "object" || value === null) return new InvalidValue();
    const record = value as Record<string, unknown>;
    const missing = methods.filter((method) => typeof record[method] !== "function");
    return missing.length === 0 ? (value as T) : new InvalidValue(`it lacks ${missing.join(", ")}`);
  });
}
