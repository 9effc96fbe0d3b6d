/** Maximum size of a request body, unless its route has another limit. */
export const BODY_LIMIT_BYTES: number = 1024 * 1024;

/** Bodies of up to this length are always read: the number of connections limits their memory. */
export const SMALL_BODY_BYTES: number = 16 * 1024;

/** Maximum size of the body of `/edge/validate`. Lower than others, because the request requires no key. */
export const VALIDATION_BODY_LIMIT_BYTES: number = 250 * 1024;

/** Common load balancers close idle connections after 60 s. They must close first, or they would lose requests. */
export const KEEP_ALIVE_TIMEOUT_MS = 72_000;

/** How long a request may take to arrive, from the first byte of its headers to its whole body. */
export const REQUEST_TIMEOUT_MS = 30_000;

export const NOT_JSON = "The body must be JSON: send it with `Content-Type: application/json`";

/** Label of requests without a route in metrics and traces: their paths are arbitrary, and labels must be few. */
export const NO_ROUTE = "none";
