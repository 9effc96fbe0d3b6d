import { hash } from "node:crypto";

/** Returns the text that identifies a key without revealing it: its SHA-256 in base64url. */
export function digestKey(key: string): string {
  return hash("sha256", key, "base64url");
}
