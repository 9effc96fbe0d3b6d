import { StartError } from "flags-service";

/** What is needed here of WebAssembly, which the types of Node leave out. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};

/** pieces.wat, as its test compiles it. */
export const PIECES_CODE =
  "AGFzbQEAAAABEQJgBX9/f39/AX9gA39/fwF/AwMCAAEFBgEDAYCABAccAwZtZW1vcnkCAAZjaG9vc2UAAAZnYXRoZXIAAQq5AgLc" +
  "AQEIfyAEKAIAIQkgBCgCBCEKIAQoAgghCwNAIAAoAgAhBiAAKAIEIQUgAEEIaiEAIAAgBWohBSAAIAVJBEADQCAGIAIgACgCAGoo" +
  "AgAgACgCBGxqIQYgAEEIaiEAIAAgBUkNAAsLIAYoAgAhByAHRQRAIAxBAWohDEEAIAZBAnZrIQcLIAMgBzYCACADQQRqIQMgCSAG" +
  "KAIEaiEJIAYoAgghCCAKIAhsIAYoAgxqIQogCyAIbCAGKAIQaiELIAAgAUkNAAsgBCAJNgIAIAQgCjYCBCAEIAs2AgggDAtZAQN/" +
  "A0AgACgCIEECdCEFIAUoAgAaIAUoAkAaIAUoAoABGiAAKAIAQQJ0IQMgAygCACEEIAIgA0EEaiAE/AoAACACIARqIQIgAEEEaiEA" +
  "IAAgAUkNAAsgAgs=";

/** A memory, and what is done in it: see pieces.wat. What its functions are called with is in bytes. */
export interface PiecesModule {
  readonly memory: {
    /** NOTE: another one after each grow(), though of the same memory. */
    readonly buffer: SharedArrayBuffer;
    /** Adds pages of 64 KiB; throws a RangeError when there are no more. */
    grow(pages: number): number;
  };
  choose(
    records: number,
    recordsEnd: number,
    outcomes: number,
    list: number,
    totals: number,
  ): number;
  gather(list: number, listEnd: number, to: number): number;
}

/** @throws {StartError} when the process may not have the addresses that V8 reserves for a memory */
export function createPiecesModule(): PiecesModule {
  const module = new WebAssembly.Module(Buffer.from(PIECES_CODE, "base64"));
  try {
    return new WebAssembly.Instance(module).exports as PiecesModule;
  } catch (cause) {
    throw new StartError(
      "Cannot reserve 10 GB of addresses for answers: " +
        "the limit on virtual memory (ulimit -v) must be 24 GB or more, or none",
      { cause },
    );
  }
}
