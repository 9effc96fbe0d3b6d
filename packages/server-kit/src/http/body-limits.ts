/** Maximum size of a request body, unless its route has another limit. */
export const BODY_LIMIT_BYTES: number = 1024 * 1024;

/** Bodies of up to this length are always read: the number of connections limits their memory. */
export const SMALL_BODY_BYTES: number = 16 * 1024;

/**
 * Maximum size of the body of `/edge/validate`, enough for the tokens of any proxy. Lower than others,
 * because the request requires no key.
 */
export const VALIDATION_BODY_LIMIT_BYTES: number = 250 * 1024;
