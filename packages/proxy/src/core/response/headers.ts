import { AGE_HEADER } from "flags-sdk/neutral";
import type { Grant } from "../access/grant.ts";
import { ageMsOf } from "../../sources/age.ts";

/** The values of the headers that every flag response has, in addition to those that describe its body. */
export interface ResponseHeaders {
  /** Value of `Cache-Control`. */
  readonly cacheControl: string;
  /** Value of `Vary`. */
  readonly vary: string;
  /** The header with the age of the flags. @default it is not sent */
  readonly age?: { readonly name: string; readonly seconds: string } | undefined;
}

/** The headers that flag responses of a protocol have. */
export interface ProtocolHeaders {
  /** Value of `Cache-Control` for a response that depends only on URL, body and key of its request. */
  readonly cacheControl: string;
  /** For every other response: a shared cache would send it to other clients. */
  readonly privateCacheControl: string;
  /** Value of `Vary`. */
  readonly vary: string;
  /** For keys that only some origins can use. */
  readonly originVary: string;
  /** For keys that require signed contexts. */
  readonly signedVary: string;
  /** Whether a response depends on more than the context, whatever the flags are. */
  readonly isAlwaysPrivate: boolean;
  /** Whether responses have the age of the flags in a header. */
  readonly showsAge: boolean;
}

/**
 * The headers of a response to a request with a grant.
 *
 * @param isSame whether every client that sends the same context gets the same flags
 */
export function headersFor(
  protocol: ProtocolHeaders,
  { rules, flags }: Grant,
  isSame: boolean,
): ResponseHeaders {
  const isSigned = rules?.contextVerifier !== undefined;
  const isPrivate = !isSame || isSigned || protocol.isAlwaysPrivate;
  const unsignedVary = rules?.allowsOrigin === undefined ? protocol.vary : protocol.originVary;
  return {
    cacheControl: isPrivate ? protocol.privateCacheControl : protocol.cacheControl,
    vary: isSigned ? protocol.signedVary : unsignedVary,
    age: protocol.showsAge ? writeAgeHeader(ageMsOf(flags.source.flags)) : undefined,
  };
}

/** In whole seconds, for people. Undefined if the age is not known. */
function writeAgeHeader(ageMs: number | undefined): ResponseHeaders["age"] {
  return ageMs === undefined
    ? undefined
    : { name: AGE_HEADER, seconds: String(Math.ceil(ageMs / 1000)) };
}
