/** Prefix of the names of the proxy's own metrics. */
export const METRICS_PREFIX = "flags_proxy";
