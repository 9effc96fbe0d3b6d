import type { Connections } from "flags-sdk/neutral";

export const FETCH_CONNECTIONS: Connections = {
  async send({ url, body: given, ...request }) {
    const body = typeof given === "object" ? new Uint8Array(given) : (given ?? null);
    // NOTE: Next.js caches responses otherwise, and Workers may.
    const init = { ...request, body, redirect: "manual", cache: "no-store" } as const;
    const response = await fetch(url, init);
    return {
      status: response.status,
      headers: response.headers,
      body: response.body ?? new ReadableStream<Uint8Array>({ start: (one) => one.close() }),
      discard: () => void response.body?.cancel().catch(() => undefined),
    };
  },
  destroy: () => undefined,
};
