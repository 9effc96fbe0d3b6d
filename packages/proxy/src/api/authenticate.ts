import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import { describeRepeatedHeader, findRepeatedHeader } from "flags-server-kit/http";
import { HttpError } from "../errors.ts";
import { allowOnlyOrigin } from "../http/cors.ts";
import { admitRequest, type Grant, isOriginRestricted, type KeyKind } from "../access/grant.ts";
import type { AccessControl } from "../access/access-control.ts";
import type { KeyExtractor } from "../access/key-extractor.ts";
import type { KeyUses } from "../access/key-uses.ts";
import type { UpstreamAccess } from "../access/upstream-access.ts";

const grants = new WeakMap<FastifyRequest, Grant>();

interface KeyCheck {
  readonly access: Pick<AccessControl, "keys" | "uses" | "upstream">;
  readonly extractor: KeyExtractor;
}

/**
 * Creates a hook that rejects requests without a key of one of these kinds with a 401, and those that
 * the rules of the key do not allow with a 403 or 429. It reads only the headers. A repeated key header
 * is a 400: a gateway might have checked a different value than the proxy. A request whose key the upstream
 * has to verify waits.
 */
export function authenticate(
  { access: { keys, uses, upstream }, extractor }: KeyCheck,
  kinds: readonly KeyKind[],
): onRequestHookHandler {
  const expected = kinds.includes("client") ? "client key" : "server token";
  const { place, form } = extractor;
  const missing = new HttpError(401, `A ${expected} is required: send it ${place}, ${form}`);
  const invalid = new HttpError(
    401,
    `The key ${place} is not a valid ${expected}: send one that this proxy accepts, ${form}`,
  );
  return (request, reply, done) => {
    const repeated = findRepeatedHeader(request.raw.rawHeaders, extractor.headers);
    if (repeated !== undefined) {
      done(new HttpError(400, describeRepeatedHeader(repeated)));
      return;
    }
    const candidates = extractor.candidates(request.headers);
    const find = (): Grant | undefined => keys.findFirst(candidates, kinds);
    const decide = (grant: Grant | undefined): void => {
      if (grant === undefined) {
        done(candidates.every((candidate) => candidate === "") ? missing : invalid);
        return;
      }
      grants.set(request, grant);
      done(admit(request, reply, grant, uses));
    };
    const grant = find();
    const isDecided =
      grant !== undefined || candidates.some((candidate) => keys.isKnown(candidate));
    if (isDecided || upstream === undefined) decide(grant);
    else verifyAny(upstream, candidates, request.ip).then(() => decide(find()), done);
  };
}

/**
 * Counts a request with a grant, and applies the rules of the key that the response does not depend on.
 * Returns the error to send if they do not allow the request.
 */
export function admit(
  request: FastifyRequest,
  reply: FastifyReply,
  grant: Grant,
  uses: KeyUses,
): HttpError | undefined {
  uses.count(grant);
  const error = admitRequest(grant, request.raw);
  // NOTE: pages of other origins can read the error, so that the reason is visible there.
  if (error === undefined && isOriginRestricted(grant)) {
    allowOnlyOrigin(reply, request.headers.origin);
  }
  return error;
}

/** Verifies the candidates for the key with the upstream, in order, until one is valid. */
async function verifyAny(
  upstream: UpstreamAccess,
  candidates: readonly string[],
  address: string,
): Promise<void> {
  for (const candidate of new Set(candidates)) {
    // oxlint-disable-next-line no-await-in-loop -- usually there is only one
    if (await upstream.verify(candidate, address)) return;
  }
}

/**
 * Returns the grant of an authenticated request.
 *
 * @throws {TypeError} if the route has no `authenticate` hook
 */
export function grantOf(request: FastifyRequest): Grant {
  const grant = grants.get(request);
  if (grant === undefined) throw new TypeError("The route has no grant: it does not authenticate");
  return grant;
}

/** Identifies the key of a request; undefined if the route requires none, or the key was rejected. */
export function keyOf(request: FastifyRequest): string | undefined {
  return grants.get(request)?.key;
}
