import { createHmac, timingSafeEqual } from "node:crypto";
import { invalidSignature, notSigned } from "../http/errors.ts";
import type { ContextVerifier, FieldValues, SignedValues } from "./verify-context.ts";

const HEX = /^[0-9a-f]{64}$/i;

/**
 * Accepts contexts with the HMAC-SHA256 of their signed values, in hexadecimal.
 *
 * @param secrets any of them may have been used
 */
export function createHmacVerifier(
  secrets: readonly string[],
  fields: readonly string[],
  allowsAnonymous: boolean,
): ContextVerifier {
  const verify = (claimed: FieldValues, signature: string): SignedValues => {
    if (claimed.size === 0) {
      // A client that signs out can be unable to remove the signature.
      if (allowsAnonymous) return { values: claimed };
      throw notSigned(fields);
    }
    if (!HEX.test(signature)) {
      throw invalidSignature("must be an HMAC-SHA256 in 64 hexadecimal digits");
    }
    const presented = Buffer.from(signature, "hex");
    const message = toMessage(claimed);
    // NOTE: always compares with all secrets, so that the duration reveals nothing.
    const matches = secrets.filter(
      (secret) =>
        message !== undefined &&
        timingSafeEqual(createHmac("sha256", secret).update(message).digest(), presented),
    );
    if (matches.length > 0) return { values: claimed };
    throw invalidSignature(
      `does not match the values that were sent (${[...claimed.keys()].join(", ")}): sign exactly these`,
    );
  };
  return { fields, allowsAnonymous, verify };
}

/**
 * Returns the text that is signed: a line `name:length:value` for each value, sorted by name, with the length in bytes, so
 * that no two lists have the same text. Undefined for values with half of a surrogate pair: in UTF-8, others would have the
 * same bytes.
 */
export function toMessage(values: FieldValues): string | undefined {
  const names = [...values.keys()].toSorted();
  const lines = names.map((name) => {
    const value = values.get(name) ?? "";
    return `${name}:${Buffer.byteLength(value)}:${value}\n`;
  });
  const message = lines.join("");
  return /\p{Surrogate}/u.test(message) ? undefined : message;
}
