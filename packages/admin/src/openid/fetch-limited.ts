import type { CustomFetch } from "openid-client";

/** Users with thousands of groups have large tokens, but not larger than this. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Sends a request to the provider. Reading a response fails after 4 MiB, so that the provider, or somebody in its
 * place, cannot exhaust the memory of the service.
 */
export async function fetchLimited(
  url: string,
  { body, ...options }: Parameters<CustomFetch>[1],
): Promise<Response> {
  const init = { ...options, ...(body !== undefined && { body }) };
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- tests of the console add the types of browsers
  const response = await fetch(url, init as Parameters<typeof fetch>[1]);
  if (response.body === null) return response;
  let bytes = 0;
  const limited = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes <= MAX_BYTES) controller.enqueue(chunk);
      else controller.error(new Error(`The response has more than ${MAX_BYTES} bytes`));
    },
  });
  // NOTE: with `globalThis`, because the bundle replaces the name for libraries that only mention it.
  return new globalThis.Response(response.body.pipeThrough(limited), response);
}
