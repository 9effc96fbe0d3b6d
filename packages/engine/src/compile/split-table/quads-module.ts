/** What is needed here of what every JavaScript engine has, and no library of types names for all. */
declare const WebAssembly: {
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: unknown };
};
declare function atob(base64: string): string;

/** quads.wat, as its test compiles it. */
export const QUADS_CODE: string =
  "AGFzbQEAAAABCQFgBX9/f39/AAMCAQAFAwEAAQcTAgZtZW1vcnkCAAZkZWNpZGUAAArtAwHqAwMDewN/BnsgAv0JAgAhBSAC/QkCBCEG" +
  "IAL9CQIIIQcgAigCDCEIIAJBEGohAgNAIAD9AAQgIAX9UEHR2vjkfP0R/bUBIQwgAP0ABBAgDEEP/asBIAxBEf2tAf1QQZPrnNwB/RH9" +
  "tQH9USEMIAgEQCACIQkDQCAMQQ39qwEgDEET/a0B/VBBBf0R/bUBQeTW0bJ+/RH9rgEhDCAJIANJBEAgDCAJ/QkCAP1RIQwgCUEEaiEJ" +
  "DAELCyAMIAb9USEMCyAMIAD9AAQwIAf9rgH9USEMIAwgDEEQ/a0B/VFB65Svr3j9Ef21ASEMIAwgDEEN/a0B/VFBtdzKlXz9Ef21ASEM" +
  "IAwgDEEQ/a0B/VEhDCAAKAIAt/0UIQsgDP3/ASENIAwgDP0NCAkKCwwNDg8ICQoLDA0OD/3/ASEOIA0gDSAL/fMB/XUgC/3yAf3xASEN" +
  "IA4gDiAL/fMB/XUgC/3yAf3xASEOIA1EAAAAAAAAMEP9FP3wASAORAAAAAAAADBD/RT98AH9DQABAgMICQoLEBESExgZGhshDyAAKAIE" +
  "IQogAEHAAGohAANAIAD9AAQQIBAgDyAA/QAEAP0//VIhECAAQSBqIQAgCkEBayEKIAoNAAsgBCAQ/QsEACAEQRBqIQQgACABSQ0ACws=";

/** A memory, and what is done in it: see quads.wat. What its function is called with is in bytes. */
export interface QuadsModule {
  readonly memory: {
    /** NOTE: another one after each grow(); views of the former one are empty. */
    readonly buffer: ArrayBuffer;
    /** Adds pages of 64 KiB; throws a RangeError when there are no more. */
    grow(pages: number): number;
  };
  decide(quads: number, quadsEnd: number, blocks: number, blocksEnd: number, list: number): void;
}

/** Undefined where there is no WebAssembly, or no memory to be had for it. */
export function createQuadsModule(): QuadsModule | undefined {
  try {
    const code = Uint8Array.from(atob(QUADS_CODE), (letter) => letter.charCodeAt(0));
    return new WebAssembly.Instance(new WebAssembly.Module(code)).exports as QuadsModule;
  } catch {
    return undefined;
  }
}
