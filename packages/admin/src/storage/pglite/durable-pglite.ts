import { closeSync, fsyncSync, openSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { PGlite } from "@electric-sql/pglite";
import type { NodeFS } from "@electric-sql/pglite/nodefs";
import { TimeSlice } from "../../scheduling/time-slice.ts";

interface DurableOptions {
  /**
   * Called when the database cannot continue, with its last error message. It must end the process,
   * because PGlite never returns from the call in progress.
   */
  readonly onPanic: (reason: string) => void;
  /** Creates the database from an archive. @default opens an existing database */
  readonly template?: Blob | undefined;
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
  { onPanic, template, syncFile }: DurableOptions,
): Promise<PGlite> {
  // NOTE: imported here, because a service with PostgreSQL does not need it.
  const [{ PGlite: Database }, { NodeFS: FileSystem }] = await Promise.all([
    import("@electric-sql/pglite"),
    import("@electric-sql/pglite/nodefs"),
  ]);
  let failure = "it ended without a message";
  const onAbort = (): void => onPanic(failure);
  try {
    const client = await Database.create({
      fs: makeDurable(new FileSystem(directory), onAbort, syncFile),
      ...(template && { loadDataDir: template }),
      startParams: startParameters(Database.defaultStartParams),
      onStderr: (line) => {
        failure = /\b(?:PANIC|FATAL):\s+(.*)/.exec(line)?.[1] ?? failure;
        return true;
      },
    });
    return divideTransactions(client);
  } catch (cause) {
    throw new EmbeddedStartError(failure, { cause });
  }
}

/**
 * Lets requests that do not need the database, such as probes, run between the statements of a transaction.
 * PGlite runs statements on the main thread, and resolves them without returning to the event loop: a
 * transaction with many statements would block everything, and the watchdog would end the process.
 */
function divideTransactions(client: PGlite): PGlite {
  const runExclusively = client._runExclusiveQuery.bind(client);
  const slice = new TimeSlice();
  client._runExclusiveQuery = (statement) =>
    runExclusively(async () => {
      if (slice.isOver) await slice.startNext();
      return statement();
    });
  return client;
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

function startParameters(defaults: readonly string[]): string[] {
  // PGlite disables `fsync` with -F.
  const others = defaults.filter((parameter) => parameter !== "-F");
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

/**
 * Gives a file system of PGlite a working `fsync`. PGlite's own reports success without doing anything,
 * so a power failure could lose acknowledged writes.
 *
 * @param onAbort called right before the WebAssembly program aborts
 */
function makeDurable(
  fileSystem: NodeFS,
  onAbort: () => void,
  syncFile: SyncFile = fsyncSync,
): NodeFS {
  const init = fileSystem.init.bind(fileSystem);
  const addSync = (module: EmscriptenModule): void => addFsync(module, syncFile);
  fileSystem.init = async (...parameters) => {
    const { emscriptenOpts } = await init(...parameters);
    const preRun = [...(emscriptenOpts.preRun ?? []), addSync] as typeof emscriptenOpts.preRun;
    // NOTE: PGlite has no option for this, and after an abort it calls the aborted program forever
    // and ignores that every call fails.
    return { emscriptenOpts: { ...emscriptenOpts, onAbort, ...(preRun && { preRun }) } };
  };
  return fileSystem;
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
