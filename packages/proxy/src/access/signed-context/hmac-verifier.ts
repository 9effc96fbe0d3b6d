import { createHmac, timingSafeEqual } from "node:crypto";
import { invalidSignature, notSigned } from "../../errors.ts";
import type { ContextVerifier, FieldValues, SignedValues } from "./verify-context.ts";

interface HmacOptions {
  readonly fields: readonly string[];
  readonly allowsAnonymous: boolean;
  /** Any of them may have been used. */
  readonly secrets: readonly string[];
}

const HEX = /^[0-9a-f]{64}$/i;

/** Accepts contexts with the HMAC-SHA256 of their signed values, in hexadecimal. */
export class HmacVerifier implements ContextVerifier {
  readonly fields: readonly string[];
  readonly allowsAnonymous: boolean;
  readonly #secrets: readonly string[];

  constructor({ fields, allowsAnonymous, secrets }: HmacOptions) {
    this.fields = fields;
    this.allowsAnonymous = allowsAnonymous;
    this.#secrets = secrets;
  }

  verify(claimed: FieldValues, signature: string): SignedValues {
    if (claimed.size === 0) {
      // A client that signs out can be unable to remove the signature.
      if (this.allowsAnonymous) return { values: claimed };
      throw notSigned(this.fields);
    }
    if (!HEX.test(signature)) {
      throw invalidSignature("must be an HMAC-SHA256 in 64 hexadecimal digits");
    }
    const presented = Buffer.from(signature, "hex");
    const message = toMessage(claimed);
    // NOTE: always compares with all secrets, so that the duration reveals nothing.
    const matches = this.#secrets.filter(
      (secret) =>
        message !== undefined &&
        timingSafeEqual(createHmac("sha256", secret).update(message).digest(), presented),
    );
    if (matches.length > 0) return { values: claimed };
    throw invalidSignature(
      `does not match the values that were sent (${[...claimed.keys()].join(", ")}): sign exactly these`,
    );
  }
}

/**
 * Returns the text that is signed: a line `name:length:value` for each value, sorted by name, where the
 * length is that of the value in bytes. So no two lists of values have the same text. Undefined for
 * values with half of a surrogate pair: in UTF-8, other values would have the same bytes.
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
