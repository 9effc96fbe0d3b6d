import { createHmac, randomBytes } from "node:crypto";

// The signatures of Standard Webhooks 1.0.0, which libraries in many languages verify.

const PREFIX = "whsec_";

export function createSecret(): string {
  return PREFIX + randomBytes(32).toString("base64");
}

interface Signed {
  /** The same for all attempts. */
  readonly id: string;
  readonly at: Date;
  readonly body: string;
}

/** Returns the headers that prove who has sent a body, and when. With several secrets, each of them verifies it. */
export function signatureHeaders(
  secrets: readonly string[],
  { id, at, body }: Signed,
): Readonly<Record<string, string>> {
  const seconds = Math.floor(at.getTime() / 1000);
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), "base64");
    return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.${body}`).digest("base64")}`;
  });
  return {
    "webhook-id": id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": signatures.join(" "),
  };
}
