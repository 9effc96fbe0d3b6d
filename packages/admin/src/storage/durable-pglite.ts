import { closeSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { PGlite } from "@electric-sql/pglite";
import { NodeFS } from "@electric-sql/pglite/nodefs";

interface DurableOptions {
  /**
   * Called when the database cannot continue, with its last error message. It must end the process,
   * because PGlite never returns from the call in progress.
   */
  readonly onPanic: (reason: string) => void;
  /** Flushes a file to disk. @default `fsync` of the operating system */
  readonly syncFile?: SyncFile;
}

type SyncFile = (descriptor: number) => void;

/** The embedded database could not be opened. The message is what the database reported. */
export class EmbeddedStartError extends Error {
  override readonly name = "EmbeddedStartError";
}

/**
 * Opens PGlite so that an acknowledged write survives a power failure.
 *
 * @throws {EmbeddedStartError} if the database cannot start
 */
export async function openDurable(
  directory: string,
  { onPanic, syncFile }: DurableOptions,
): Promise<PGlite> {
  let failure = "it ended without a message";
  const onAbort = (): void => onPanic(failure);
  try {
    return await PGlite.create({
      fs: new DurableFileSystem(directory, onAbort, syncFile),
      startParams: startParameters(),
      onStderr: (line) => {
        failure = /\b(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1] ?? failure;
        return true;
      },
    });
  } catch (cause) {
    throw new EmbeddedStartError(failure, { cause });
  }
}

/** Server settings in addition to the defaults of PGlite. */
const SETTINGS: readonly string[] = [
  // PGlite ignores `fdatasync`.
  "wal_sync_method=fsync",
  // How much of the log, in segments of 16 MB, a checkpoint keeps for reuse.
  "min_wal_size=48MB",
  "max_wal_size=64MB",
  // Replication is not used, and a checkpoint would create files for it even on a full disk.
  "max_active_replication_origins=0",
];

function startParameters(): string[] {
  // PGlite disables `fsync` with -F.
  const others = PGlite.defaultStartParams.filter((parameter) => parameter !== "-F");
  return [...others, ...SETTINGS.flatMap((setting) => ["-c", setting])];
}

/** The parts of the Emscripten file system that are used here. */
interface EmscriptenModule {
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: NodeFileStream) => number };
    realPath(node: unknown): string;
  };
}

interface NodeFileStream {
  /** Descriptor of the underlying file; directories have none. */
  readonly nfd?: number | null;
  readonly node: unknown;
}

type InitParameters = Parameters<NodeFS["init"]>;

/**
 * File system of PGlite with a working `fsync`. PGlite's own reports success without doing anything,
 * so a power failure could lose acknowledged writes.
 */
class DurableFileSystem extends NodeFS {
  readonly #onAbort: () => void;
  readonly #syncFile: SyncFile;

  /** @param onAbort called right before the WebAssembly program aborts */
  constructor(directory: string, onAbort: () => void, syncFile: SyncFile = fsyncSync) {
    super(directory);
    this.#onAbort = onAbort;
    this.#syncFile = syncFile;
  }

  override async init(...parameters: InitParameters): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...parameters);
    const addSync = (module: EmscriptenModule): void => addFsync(module, this.#syncFile);
    const preRun = [...(emscriptenOpts.preRun ?? []), addSync] as typeof emscriptenOpts.preRun;
    // NOTE: PGlite has no option for this, and after an abort it calls the aborted program forever
    // and ignores that every call fails.
    const onAbort = this.#onAbort;
    return { emscriptenOpts: { ...emscriptenOpts, onAbort, ...(preRun && { preRun }) } };
  }
}

/** Emscripten's number for the error EIO (input/output error). */
const EIO = 29;

function addFsync({ NODEFS }: EmscriptenModule, syncFile: SyncFile): void {
  NODEFS.stream_ops.fsync = (stream) => {
    try {
      if (typeof stream.nfd === "number") syncFile(stream.nfd);
      else syncTree(NODEFS.realPath(stream.node), { depth: 0 });
      return 0;
    } catch {
      // PostgreSQL stops if it cannot flush its log, which is the safe reaction.
      return EIO;
    }
  };
}

interface SyncTreeOptions {
  /** How many levels below `path` to include. @default Infinity */
  readonly depth?: number;
}

/** Flushes a file, or a directory and its contents, to disk. */
export function syncTree(
  path: string,
  { depth = Number.POSITIVE_INFINITY }: SyncTreeOptions = {},
): void {
  const isDirectory = statSync(path).isDirectory();
  if (isDirectory && depth > 0) {
    for (const name of readdirSync(path)) syncTree(join(path, name), { depth: depth - 1 });
  }
  // Windows cannot open directories, and does not need to flush them.
  if (isDirectory && process.platform === "win32") return;
  const descriptor = openSync(path, isDirectory ? "r" : "r+");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
