import { createHash } from "node:crypto";

/** What is stored instead of a token: it cannot be turned back, since tokens are long and random. */
export function hashToken(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
