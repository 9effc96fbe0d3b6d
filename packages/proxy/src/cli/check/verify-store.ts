import { randomUUID } from "node:crypto";
import { Deadline } from "flags-sdk/neutral";
import type { Store, StoreConfig } from "../../store/store.ts";

const TIMEOUT_MS = 5000;

/** Rejects if a document cannot be written, read and deleted within five seconds. */
export async function verifyStore({ address, access }: StoreConfig) {
  const deadline = new Deadline(new AbortController().signal, TIMEOUT_MS);
  const store = await address.open(access);
  try {
    const times = await deadline.race(probe(store, deadline.signal));
    return { address: address.text, ...times };
  } finally {
    deadline.end();
    await store.close();
  }
}

/** NOTE: the first time includes opening the connection. */
async function probe(store: Store, signal: AbortSignal) {
  const key = `v1/probes/${randomUUID()}`;
  const content = Buffer.from("Written by flags-proxy check");
  const startMs = performance.now();
  await store.write(key, content, signal);
  const writtenMs = performance.now();
  const read = await store.read(key, signal);
  const readMs = performance.now();
  await store.remove(key, signal);
  if (read === undefined || !content.equals(read)) {
    throw new Error("it does not return what was written");
  }
  return { writeMs: Math.round(writtenMs - startMs), readMs: Math.round(readMs - writtenMs) };
}
