import { setFlagsFromString } from "node:v8";

/**
 * Stops V8 from optimizing WebAssembly in this process.
 *
 * The only WebAssembly here is the HTTP parser of undici, which parses the headers of the upstream's responses. V8 optimizes
 * it soon after the start, which takes a third of the CPU time of a start and 35 MiB of memory, 10 of which the allocator keeps
 * in some processes. Compare with `npm run bench -- mechanisms`.
 *
 * NOTE: call this after the bundle is loaded. V8 rejects a code cache that was created under other options.
 */
export function disableWasmTierUp(): void {
  // NOTE: the first option alone has no effect: V8 then optimizes when a function is hot, as it does by default.
  setFlagsFromString("--no-wasm-tier-up");
  setFlagsFromString("--no-wasm-dynamic-tiering");
}
