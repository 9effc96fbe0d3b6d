import negotiate from "@fastify/accept-negotiator";

/** Whether a client accepts event streams that are compressed with gzip. */
export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  if (typeof acceptEncoding !== "string") return false;
  return negotiate(acceptEncoding.toLowerCase(), ["gzip"]) === "gzip";
}
