import type { Connections } from "flags-sdk/internal";
import { MAX_DOCUMENT_BYTES } from "../store.ts";

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Sends a request. Resolves to a response of any status; does not follow redirects. */
export async function sendRequest(
  connections: Connections,
  request: Parameters<Connections["send"]>[0],
): Promise<HttpResponse> {
  const response = await connections.send(request);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > MAX_DOCUMENT_BYTES) throw new Error("The response is too large to be a document");
    chunks.push(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    body: Buffer.concat(chunks),
  };
}
