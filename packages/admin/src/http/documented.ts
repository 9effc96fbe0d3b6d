import { errorResponses, NoBody } from "./schemas.ts";

// Failures that every route can have, and those that every route with a body can have besides.
const ALWAYS = [401, 403, 503] as const;
const WITH_BODY = [400, 413, 415] as const;

interface Description {
  readonly tag: string;
  readonly summary: string;
  /** Status of an answer without a body; left out when the answer has one. */
  readonly empty?: 200 | 202 | 204;
  readonly hasBody?: boolean;
  readonly alsoFailsWith?: readonly (400 | 404 | 409)[];
}

/** The part of a route's schema that only documents it. */
export function documented({ tag, summary, empty, hasBody, alsoFailsWith = [] }: Description) {
  const failures = [...alsoFailsWith, ...ALWAYS, ...(hasBody === true ? WITH_BODY : [])];
  return {
    summary,
    tags: [tag],
    response: { ...(empty !== undefined && { [empty]: NoBody }), ...errorResponses(...failures) },
  };
}
