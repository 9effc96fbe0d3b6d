import { describeRepeatedHeader, findRepeatedHeader } from "flags-server-kit/neutral";
import type { AccessControl, UpstreamVerification } from "../access/access-control.ts";
import { admitRequest, type Grant, isOriginRestricted, type KeyKind } from "../access/grant.ts";
import type { KeyExtractor } from "../access/key-extractor.ts";
import type { KeyUses } from "../access/key-uses.ts";
import type { Call } from "./call.ts";
import { HttpError } from "../http/errors.ts";
import type { ProxyRequest } from "../http/request.ts";
import type { Route } from "./route.ts";

interface KeyCheckOptions {
  readonly access: Pick<AccessControl, "keys" | "uses" | "upstream">;
  readonly extractor: KeyExtractor;
  readonly callerAddress: (request: ProxyRequest) => string | undefined;
}

/**
 * Creates the check that finds the grant of a request. A repeated key header is a 400: a gateway might have checked a
 * different value than the proxy. A request whose key the upstream has to verify waits.
 */
export function createKeyCheck(
  { access: { keys, uses, upstream }, extractor, callerAddress }: KeyCheckOptions,
  kinds: readonly KeyKind[],
): NonNullable<Route["authenticate"]> {
  const expected = kinds.includes("client") ? "client key" : "server token";
  const { place, form } = extractor;
  const missing = new HttpError(401, `A ${expected} is required: send it ${place}, ${form}`);
  const invalid = new HttpError(
    401,
    `The key ${place} is not a valid ${expected}: send one that this proxy accepts, ${form}`,
  );
  const toError = (candidates: readonly string[]): HttpError =>
    candidates.every((candidate) => candidate === "") ? missing : invalid;
  return (call) => {
    const { headers, rawHeaders } = call.request;
    const repeated = findRepeatedHeader(rawHeaders, extractor.headers);
    if (repeated !== undefined) throw new HttpError(400, describeRepeatedHeader(repeated));
    const candidates = extractor.candidates(headers);
    const grant = keys.findFirst(candidates, kinds);
    if (grant !== undefined) return admit(call, grant, uses);
    if (upstream !== undefined && !candidates.some((candidate) => keys.isKnown(candidate))) {
      const address = callerAddress(call.request) ?? "";
      return verifyAny(upstream, candidates, address).then(() => {
        const verified = keys.findFirst(candidates, kinds);
        if (verified === undefined) throw toError(candidates);
        admit(call, verified, uses);
      });
    }
    throw toError(candidates);
  };
}

/** Counts a request with a grant, and applies the rules of the key that the response does not depend on. */
export function admit(call: Call, grant: Grant, uses: KeyUses): void {
  call.grant = grant;
  uses.count(grant);
  const error = admitRequest(grant, call.request);
  // NOTE: pages of other origins can read the error, so that the reason is visible there.
  if (error !== undefined) throw error;
  call.isOriginRestricted = isOriginRestricted(grant);
}

async function verifyAny(
  upstream: UpstreamVerification,
  candidates: readonly string[],
  address: string,
): Promise<void> {
  for (const candidate of new Set(candidates)) {
    // oxlint-disable-next-line no-await-in-loop -- usually there is only one
    if (await upstream.verify(candidate, address)) return;
  }
}
