import type { Steps } from "flags-engine";
import { parseJsonInSteps } from "../json/parse-json-in-steps.ts";
import { describeUrl } from "./http-client.ts";
import { describeCause, UpstreamError } from "./upstream-error.ts";

/** Reads the body of a document; throws an `UpstreamError` when it is not JSON. */
export function* parseBody(url: URL, body: string): Steps<unknown> {
  try {
    return yield* parseJsonInSteps(body);
  } catch (cause) {
    const message = `${describeUrl(url)} sent no JSON: ${describeCause(cause)}`;
    throw new UpstreamError(message, { code: "DOCUMENT", cause });
  }
}
