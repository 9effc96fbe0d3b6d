import { createHash } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { deleteAbandoned, hasCode, replaceFile } from "./durable-file.ts";

/**
 * Stores the last good definitions, so that a client has flags after a restart even if the upstream
 * is down. Providers written for other SDKs of this protocol have the same interface.
 */
export interface StorageProvider {
  /** Replaces the value stored under the key. */
  set(key: string, data: unknown): Promise<void>;
  /** Resolves to the value last stored under the key; undefined if there is none. */
  get(key: string): Promise<unknown>;
  /**
   * Returns how many milliseconds ago the upstream confirmed what `get()` has returned; undefined if that
   * is not known. Optional.
   */
  ageMs?(): number | undefined;
  /**
   * Resolves once it is known that nothing is stored, or that reading has failed, if `get()` keeps waiting for it.
   * Optional.
   */
  whenMissing?(): Promise<void>;
}

/** Stores definitions in memory, so they do not survive a restart. */
export class MemoryStorageProvider implements StorageProvider {
  readonly #entries = new Map<string, unknown>();

  async set(key: string, data: unknown): Promise<void> {
    this.#entries.set(key, data);
  }

  async get(key: string): Promise<unknown> {
    return this.#entries.get(key);
  }
}

const FILE = /^flags-.+-[\da-f]{16}\.json$/;

/**
 * Stores definitions in one JSON file per key, readable only by its owner. Files are replaced
 * atomically: a crash or a full disk leaves the previous version intact.
 */
export class FileStorageProvider implements StorageProvider {
  readonly #directory: string;
  #cleaning: Promise<void> | undefined;

  /**
   * The directory is created on the first write.
   *
   * @throws {TypeError} if it is empty or not a string
   */
  constructor(directory: string) {
    if (typeof directory !== "string" || directory === "")
      throw new TypeError("`directory` must be the path of a directory");
    this.#directory = directory;
  }

  async set(key: string, data: unknown): Promise<void> {
    await mkdir(this.#directory, { recursive: true });
    await (this.#cleaning ??= deleteAbandoned(this.#directory, FILE));
    await replaceFile(this.#pathOf(key), JSON.stringify(data));
  }

  async get(key: string): Promise<unknown> {
    const path = this.#pathOf(key);
    const text = await readIfPresent(path);
    if (text === undefined) return undefined;
    try {
      return JSON.parse(text);
    } catch {
      // NOTE: without a cause, because logs contain only the message of the innermost one.
      throw new Error(`File ${path} is not JSON: delete it, or restore a valid copy`);
    }
  }

  #pathOf(key: string): string {
    return join(this.#directory, `flags-${toFileName(key)}.json`);
  }
}

/** Returns a readable name that is unique per key, even in case-insensitive file systems. */
function toFileName(key: string): string {
  const readable = key.replaceAll(/[^\w-]/g, "_").slice(0, 40);
  const digest = createHash("sha256").update(key).digest("hex").slice(0, 16);
  return `${readable}-${digest}`;
}

async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}
