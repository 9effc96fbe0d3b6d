import { StartError } from "flags-service";

/** What is needed here of WebAssembly, which the types of Node leave out. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** gather.wat, as its test compiles it. */
export const GATHER_CODE =
  "AGFzbQEAAAABCAFgA39/fwF/AwIBAAUDAQABBxMCBm1lbW9yeQIABmdhdGhlcgAACj4BPAECfwNAIAAoAgBBAnQhAyADKAIAIQQg" +
  "AiADQQRqIAT8CgAAIAIgBGohAiAAQQRqIQAgACABSQ0ACyACCw==";

/** A memory, and who gathers what lies in it. What that is called with is in bytes. */
export interface Gatherer {
  readonly memory: {
    /** NOTE: another one after each grow(); the one before it is empty then. */
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KiB; throws a RangeError when there are no more. */
    grow(pages: number): number;
  };
  /** Copies the pieces of a list of addresses, which is not empty, and returns where the copies end. */
  gather(list: number, listEnd: number, to: number): number;
}

/** @throws {StartError} when the process may not have the addresses that V8 reserves for a memory */
export function createGatherer(): Gatherer {
  const module = new WebAssembly.Module(Buffer.from(GATHER_CODE, "base64"));
  try {
    return new WebAssembly.Instance(module).exports as Gatherer;
  } catch (cause) {
    throw new StartError(
      "Cannot reserve 10 GB of addresses for answers: " +
        "the limit on virtual memory (ulimit -v) must be 24 GB or more, or none",
      { cause },
    );
  }
}
