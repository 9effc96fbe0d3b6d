import type { Response } from "undici";
import { UpstreamError } from "./upstream-error.ts";

/** Reads a whole body as UTF-8; throws an `UpstreamError` as soon as it passes the limit. */
export async function readText(response: Response, maxBytes: number): Promise<string> {
  if (response.body === null) return "";
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  // Leaving the loop by a throw cancels the stream, and with it the connection.
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    sizeBytes += chunk.byteLength;
    if (sizeBytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks, sizeBytes));
}

function tooLarge(maxBytes: number): UpstreamError {
  return new UpstreamError(`The upstream sent more than ${maxBytes} bytes`, { code: "TOO_LARGE" });
}
