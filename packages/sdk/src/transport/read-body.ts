import type { Steps } from "flags-engine";
import type { JsonReader } from "../json/json-reader.ts";
import { describeUrl } from "./http-client.ts";
import { describeCause, UpstreamError } from "./upstream-error.ts";

/** Reads the body of a document; throws an `UpstreamError` when it is not JSON. */
export function* readBody(url: URL, body: string, reader: JsonReader): Steps<unknown> {
  try {
    return yield* reader.read(body);
  } catch (cause) {
    const message = `${describeUrl(url)} sent no JSON: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "DOCUMENT", cause });
  }
}
