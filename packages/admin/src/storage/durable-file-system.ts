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

type InitParameters = Parameters<NodeFS["init"]>;

/**
 * A directory in which "written to disk" means it: the file system of PGlite answers yes to every
 * `fsync` and does nothing, so a power cut could take back what was answered.
 */
export class DurableFileSystem extends NodeFS {
  override async init(...parameters: InitParameters): ReturnType<NodeFS["init"]> {
    const { emscriptenOpts } = await super.init(...parameters);
    const preRun = [...(emscriptenOpts.preRun ?? []), addFsync] as typeof emscriptenOpts.preRun;
    return { emscriptenOpts: { ...emscriptenOpts, ...(preRun && { preRun }) } };
  }
}

function addFsync(module: EmscriptenModule): void {
  const { NODEFS } = module;
  NODEFS.stream_ops.fsync = (stream) => {
    if (typeof stream.nfd === "number") fsyncSync(stream.nfd);
    else syncTree(NODEFS.realPath(stream.node), { depth: 0 });
    return 0;
  };
}
