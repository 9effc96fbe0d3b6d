import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { join, resolve } from "node:path";

/** The name of the socket in the data directory. */
const NAME = "admin.sock";

/** Longest path of a socket in bytes: the operating system reserves one byte less than it documents for the end. */
const MAX_PATH_BYTES = process.platform === "linux" ? 107 : 103;

/** Where the socket for commands is. */
export interface SocketPath {
  /** Its path, for messages. */
  readonly shown: string;
  /** A path that is short enough to bind or connect to, until `close()` is called. */
  readonly path: string;
  close(): Promise<void>;
}

/**
 * Finds the path of the socket for commands in a data directory, which is always `admin.sock`. If the path is too long for a
 * socket, returns a shorter one to the same file, through a descriptor of the directory.
 *
 * @throws {Error} if the directory cannot be opened, or there is no shorter path
 */
export async function openSocketPath(dataDir: string): Promise<SocketPath> {
  const shown = join(resolve(dataDir), NAME);
  if (Buffer.byteLength(shown) <= MAX_PATH_BYTES) {
    return { shown, path: shown, close: async () => undefined };
  }
  if (process.platform !== "linux") {
    throw new Error(
      `its path is longer than ${MAX_PATH_BYTES} bytes: set DATA_DIR to a shorter path`,
    );
  }
  const directory = await open(resolve(dataDir), constants.O_RDONLY | constants.O_DIRECTORY);
  return {
    shown,
    path: `/proc/self/fd/${directory.fd}/${NAME}`,
    close: () => directory.close(),
  };
}
