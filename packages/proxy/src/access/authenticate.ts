import { createHash } from "node:crypto";
import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { describeRepeatedHeader, findRepeatedHeader } from "flags-server-kit/http";
import { HttpError } from "../errors.ts";
import type { KeyExtractor } from "./key-extractor.ts";
import type { Grant, KeyKind, KeyRegistry } from "./key-registry.ts";

const grants = new WeakMap<FastifyRequest, Grant>();

interface KeyCheck {
  readonly ring: KeyRegistry;
  readonly place: KeyExtractor;
}

/**
 * Accepts requests with a key of one of these kinds. It reads nothing but the headers. A header that
 * can carry the key must not be repeated: a gateway might have checked another value than the proxy.
 */
export function authenticate(
  { ring, place }: KeyCheck,
  kinds: readonly KeyKind[],
): onRequestHookHandler {
  const wanted = kinds.includes("client") ? "client key" : "server token";
  const refusal = new HttpError(401, `A valid ${wanted} is required: send it ${place.advice}`);
  return (request, _reply, done) => {
    const repeated = findRepeatedHeader(request.raw.rawHeaders, place.headers);
    if (repeated !== undefined) {
      done(new HttpError(400, describeRepeatedHeader(repeated)));
      return;
    }
    const grant = findGrant(ring, place.candidates(request.headers), kinds);
    if (grant === undefined) {
      done(refusal);
      return;
    }
    grants.set(request, grant);
    done();
  };
}

function findGrant(
  ring: KeyRegistry,
  candidates: readonly string[],
  kinds: readonly KeyKind[],
): Grant | undefined {
  for (const candidate of candidates) {
    const grant = ring.find(candidate, kinds);
    if (grant !== undefined) return grant;
  }
  return undefined;
}

/** What the key of an authenticated request gives access to. */
export function grantOf(request: FastifyRequest): Grant {
  const grant = grants.get(request);
  if (grant === undefined) throw new TypeError("Cannot tell the grant: the route asks for no key");
  return grant;
}

const quotaIds = new WeakMap<Grant, string>();

/** Identifies the key of a grant, without revealing it, to whoever limits what one key can use up. */
export function quotaIdOf(grant: Grant): string {
  const known = quotaIds.get(grant);
  if (known !== undefined) return known;
  // NOTE: the same in every worker, since the primary process holds one share for each key.
  const id = createHash("sha256").update(grant.key).digest("base64url").slice(0, 22);
  quotaIds.set(grant, id);
  return id;
}

/** The key of a request; undefined if the route asks for none, or it was rejected. */
export function keyOf(request: FastifyRequest): string | undefined {
  return grants.get(request)?.key;
}
