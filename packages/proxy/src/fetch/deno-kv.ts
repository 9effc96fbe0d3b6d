import { isRecord } from "flags-engine";
import type { CachedFlags, FlagCache } from "./flag-cache.ts";

type KvKey = readonly (Uint8Array | string | number | bigint | boolean | symbol)[];

/** What of Deno KV is used. */
export interface DenoKv {
  get(key: KvKey): Promise<{ readonly value: unknown }>;
  set(key: KvKey, value: unknown): Promise<unknown>;
  delete(key: KvKey): Promise<void>;
  list(selector: { readonly prefix: KvKey }): AsyncIterable<{
    readonly key: KvKey;
    readonly value: unknown;
  }>;
}

/** A value has at most 64 KiB. */
const PART_BYTES = 60_000;

/**
 * Keeps flags in Deno KV, so that instances can start while the upstream is down, and only one of them asks it in each interval.
 *
 * @param kv as `await Deno.openKv()` returns it
 * @throws {TypeError} if it is something else
 */
export function denoKv(kv: DenoKv): FlagCache {
  if (typeof Object(kv).list !== "function")
    throw new TypeError("`kv` must be a database of Deno KV: pass `await Deno.openKv()`");
  return {
    async get(key): Promise<CachedFlags | undefined> {
      const { value: head } = await kv.get(headOf(key));
      if (!isRecord(head)) return undefined;
      const { version, count, ...rest } = head;
      const parts = await readParts(kv, [...partsOf(key), String(version)]);
      // Another instance may have replaced them meanwhile.
      if (parts.length !== count) return undefined;
      const text = await new Blob(parts).text();
      // The proxy checks what it gets.
      return { ...(rest as unknown as Pick<CachedFlags, "at" | "etag">), text };
    },
    async put(key, { text, ...rest }) {
      const version = crypto.randomUUID();
      const parts = divide(new TextEncoder().encode(text));
      const prefix = partsOf(key);
      await Promise.all(parts.map((part, index) => kv.set([...prefix, version, index], part)));
      await kv.set(headOf(key), { ...rest, version, count: parts.length });
      for await (const { key: found } of kv.list({ prefix })) {
        if (found[prefix.length] !== version) await kv.delete(found);
      }
    },
  };
}

const headOf = (key: string): KvKey => ["flags-proxy", key];
const partsOf = (key: string): KvKey => ["flags-proxy", key, "parts"];

function divide(bytes: Uint8Array): readonly Uint8Array[] {
  const count = Math.ceil(bytes.length / PART_BYTES);
  return Array.from({ length: count }, (_, index) =>
    bytes.slice(index * PART_BYTES, (index + 1) * PART_BYTES),
  );
}

async function readParts(kv: DenoKv, prefix: KvKey): Promise<Uint8Array<ArrayBuffer>[]> {
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for await (const { value } of kv.list({ prefix })) {
    if (value instanceof Uint8Array) parts.push(new Uint8Array(value));
  }
  return parts;
}
