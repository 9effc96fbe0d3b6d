import { DocumentError } from "flags-engine";
import type { Steps } from "flags-engine";
import type { JsonReader } from "../json/json-reader.ts";
import { describeUrl } from "./http-client.ts";
import { describeCause, UpstreamError } from "./upstream-error.ts";

/** Reads the body of a document; throws an `UpstreamError` when it is not JSON, or nested too deeply. */
export function* readBody(url: URL, body: string, reader: JsonReader): Steps<unknown> {
  try {
    return yield* reader.read(body);
  } catch (cause) {
    const problem = cause instanceof DocumentError ? "a document that is not usable" : "no JSON";
    const message = `${describeUrl(url)} sent ${problem}: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "DOCUMENT", cause });
  }
}
