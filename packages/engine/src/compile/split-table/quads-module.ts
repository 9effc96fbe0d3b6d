/** What is needed here of what JavaScript engines have, and no library of types names for all of them. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};
declare function atob(base64: string): string;

/** quads.wat, as its test compiles it. */
export const QUADS_CODE: string =
  "AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFBAEBQEAHEwIGbWVtb3J5AgAGZGVjaWRlAAAK7QMB6gMDA3sDfwZ7IAL9CQIAIQUgAv0JAgQh" +
  "BiAC/QkCCCEHIAIoAgwhCCACQRBqIQIDQCAA/QAEICAF/VBB0dr45Hz9Ef21ASEMIAD9AAQQIAxBD/2rASAMQRH9rQH9UEGT65zcAf0R" +
  "/bUB/VEhDCAIBEAgAiEJA0AgDEEN/asBIAxBE/2tAf1QQQX9Ef21AUHk1tGyfv0R/a4BIQwgCSADSQRAIAwgCf0JAgD9USEMIAlBBGoh" +
  "CQwBCwsgDCAG/VEhDAsgDCAA/QAEMCAH/a4B/VEhDCAMIAxBEP2tAf1RQeuUr694/RH9tQEhDCAMIAxBDf2tAf1RQbXcypV8/RH9tQEh" +
  "DCAMIAxBEP2tAf1RIQwgACgCALf9FCELIAz9/wEhDSAMIAz9DQgJCgsMDQ4PCAkKCwwNDg/9/wEhDiANIA0gC/3zAf11IAv98gH98QEh" +
  "DSAOIA4gC/3zAf11IAv98gH98QEhDiANRAAAAAAAADBD/RT98AEgDkQAAAAAAAAwQ/0U/fAB/Q0AAQIDCAkKCxAREhMYGRobIQ8gACgC" +
  "BCEKIABBwABqIQADQCAA/QAEECAQIA8gAP0ABAD9P/1SIRAgAEEgaiEAIApBAWshCiAKDQALIAQgEP0LBAAgBEEQaiEEIAAgAUkNAAsL";

/** A memory, and what is done in it: see quads.wat. All addresses are in bytes. */
export interface QuadsModule {
  readonly memory: { readonly buffer: ArrayBuffer };
  decide(quads: number, quadsEnd: number, blocks: number, blocksEnd: number, list: number): void;
}

/**
 * Undefined where there is no WebAssembly with lanes (SIMD), or no memory to be had for it: V8 reserves
 * 10 GB of addresses for each, of which only what is used is memory.
 */
export function createQuadsModule(): QuadsModule | undefined {
  try {
    const code = Uint8Array.from(atob(QUADS_CODE), (letter) => letter.charCodeAt(0));
    return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as QuadsModule;
  } catch {
    return undefined;
  }
}
