/** Replaces the global class in a bundle without HTTP client: nothing is an instance of it. */
export function Response() {}
