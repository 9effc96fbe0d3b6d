import { fsyncSync } from "node:fs";
import { NodeFS } from "@electric-sql/pglite/nodefs";
import { syncTree } from "./sync-tree.ts";

/** The few parts of the emscripten file system that are used here. */
interface NodeFileStream {
  /** Descriptor of the file below; directories have none. */
  readonly nfd?: number | null;
  readonly node: unknown;
}

interface EmscriptenModule {
  readonly NODEFS: {
    readonly stream_ops: { fsync?: (stream: NodeFileStream) => number };
    realPath(node: unknown): string;
  };
}

/** Calls back when a WebAssembly program ends itself, before it does. */
export type OnAbort = () => void;

type InitParameters = Parameters<NodeFS["init"]>;

/** Has the disk hold what was written to a file so far. */
export type SyncFile = (descriptor: number) => void;

/**
 * A directory in which "written to disk" means it: the file system of PGlite answers yes to every
 * `fsync` and does nothing, so a power cut could take back what was answered.
 */
export class DurableFileSystem extends NodeFS {
  readonly #syncFile: SyncFile;
  readonly #onAbort: OnAbort;

  constructor(directory: string, onAbort: OnAbort, syncFile: SyncFile = fsyncSync) {
    super(directory);
    this.#onAbort = onAbort;
    this.#syncFile = syncFile;
  }

  override async init(...parameters: InitParameters): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...parameters);
    const addSync = (module: EmscriptenModule): void => addFsync(module, this.#syncFile);
    const preRun = [...(emscriptenOpts.preRun ?? []), addSync] as typeof emscriptenOpts.preRun;
    // NOTE: PGlite has no option for this, and never returns from a call after an abort: it calls
    // the aborted program again and again, and ignores that each call fails.
    const onAbort = this.#onAbort;
    return { emscriptenOpts: { ...emscriptenOpts, onAbort, ...(preRun && { preRun }) } };
  }
}

/** Number of the error "input or output failed" in emscripten. */
const EIO = 29;

function addFsync({ NODEFS }: EmscriptenModule, syncFile: SyncFile): void {
  NODEFS.stream_ops.fsync = (stream) => {
    try {
      if (typeof stream.nfd === "number") syncFile(stream.nfd);
      else syncTree(NODEFS.realPath(stream.node), { depth: 0 });
      return 0;
    } catch {
      // PostgreSQL stops when it cannot be sure of its log, as it should.
      return EIO;
    }
  };
}
