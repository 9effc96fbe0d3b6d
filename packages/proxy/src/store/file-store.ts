import { constants } from "node:fs";
import { type FileHandle, open, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { deleteAbandoned, replaceFile } from "flags-sdk/internal";
import { codeOf } from "flags-server-kit/neutral";
import { createDirectory, explainDiskFailure } from "flags-server-kit/command-line";
import { MAX_DOCUMENT_BYTES, type Store } from "./store.ts";

/** Definitions may contain ids of users. */
const DIRECTORY_MODE = 0o700;

/** Does not follow a link in place of a document, and does not wait for the writer of a pipe. */
const READ_FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/**
 * Stores documents as files in one directory, which is created on the first write, and replaces them atomically.
 *
 * NOTE: runs one operation at a time. An operation on a network file system that does not respond occupies
 * one of the four threads of the process, which it also needs to look up the names of hosts.
 */
export class FileStore implements Store {
  readonly #directory: string;
  readonly #tidied = new Set<string>();
  #previous: Promise<unknown> = Promise.resolve();

  constructor(directory: string) {
    this.#directory = resolve(directory);
  }

  read(key: string, signal: AbortSignal): Promise<Uint8Array | undefined> {
    return this.#run(signal, () => readIfPresent(this.#pathOf(key)));
  }

  write(key: string, content: Uint8Array, signal: AbortSignal): Promise<void> {
    return this.#run(signal, async () => {
      const path = this.#pathOf(key);
      const directory = dirname(path);
      await createDirectory(directory, DIRECTORY_MODE);
      await this.#tidy(directory);
      await replaceFile(path, content, signal);
    });
  }

  remove(key: string, signal: AbortSignal): Promise<void> {
    return this.#run(signal, () => rm(this.#pathOf(key), { force: true }));
  }

  async close(): Promise<void> {}

  #pathOf(key: string): string {
    return join(this.#directory, key);
  }

  async #run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const result = this.#previous.then(() => {
      signal.throwIfAborted();
      return work();
    });
    this.#previous = result.catch(() => {});
    try {
      return await result;
    } catch (error) {
      throw explainFailure(error);
    }
  }

  /** Removes temporary files that a crash has left, once per directory. */
  async #tidy(directory: string): Promise<void> {
    if (this.#tidied.has(directory)) return;
    this.#tidied.add(directory);
    await deleteAbandoned(directory);
  }
}

async function readIfPresent(path: string): Promise<Uint8Array | undefined> {
  let file: FileHandle;
  try {
    file = await open(path, READ_FLAGS);
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw error;
  }
  try {
    const state = await file.stat();
    if (!state.isFile()) throw new Error(`${path} is not a file`);
    if (state.size > MAX_DOCUMENT_BYTES) throw new Error(`${path} is too large to be a document`);
    return await file.readFile();
  } finally {
    await file.close();
  }
}

function explainFailure(error: unknown): unknown {
  const reason = explainDiskFailure(error);
  // NOTE: without a cause, because logs contain only the message of the innermost one.
  return reason === undefined ? error : new Error(reason);
}
