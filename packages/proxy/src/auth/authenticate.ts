import type { FastifyRequest, onRequestHookHandler } from "fastify";
import { HttpError } from "../errors.ts";
import type { Grant, KeyKind, KeyRing } from "./key-ring.ts";

const grants = new WeakMap<FastifyRequest, Grant>();

interface KeyCheck {
  readonly ring: KeyRing;
  /** Lower case. */
  readonly headerName: string;
}

/** Lets requests pass that carry a key of one of these kinds; looks at nothing but the headers. */
export function authenticate(
  { ring, headerName }: KeyCheck,
  kinds: readonly KeyKind[],
): onRequestHookHandler {
  const wanted = kinds.includes("client") ? "client key" : "server token";
  const refusal = new HttpError(
    401,
    `A valid ${wanted} is required: send it in the \`${headerName}\` header`,
  );
  return (request, _reply, done) => {
    const presented = request.headers[headerName];
    const grant = typeof presented === "string" ? ring.find(presented, kinds) : undefined;
    if (grant === undefined) {
      done(refusal);
      return;
    }
    grants.set(request, grant);
    done();
  };
}

/** What the key of an authenticated request gives access to. */
export function grantOf(request: FastifyRequest): Grant {
  const grant = grants.get(request);
  if (grant === undefined) throw new TypeError("Cannot tell the grant: the route asks for no key");
  return grant;
}
