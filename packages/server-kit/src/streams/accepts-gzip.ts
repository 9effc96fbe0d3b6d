import negotiate from "@fastify/accept-negotiator";

export function acceptsGzip(acceptEncoding: string | string[] | undefined): boolean {
  if (typeof acceptEncoding !== "string") return false;
  return negotiate(acceptEncoding.toLowerCase(), ["gzip"]) === "gzip";
}
