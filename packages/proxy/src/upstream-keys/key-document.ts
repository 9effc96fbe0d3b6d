import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";
import { isRecord } from "flags-server-kit";
import type { VerifiedKey } from "./verified-key.ts";

/** A key as it is stored. NOTE: the digest of a token of the upstream reveals nothing, as its secret is random. */
export interface StoredKey extends Omit<VerifiedKey, "shownAs"> {
  /** Epoch milliseconds. */
  readonly verifiedAtMs: number;
}

/** Increased when the format changes. */
const FORMAT = 1;

/** Longer documents are not read: no proxy writes them. */
const MAX_BYTES = 64 * 1024 * 1024;

/**
 * Writes and reads the document with the verified keys. It contains a message authentication code, whose
 * secret derives from the upstream and its tokens, so that nobody can add keys by writing to the store, and
 * a proxy ignores the keys of another upstream.
 */
export class KeyDocuments {
  readonly #secret: Buffer;

  /** @param identity the address of the upstream and the upstream tokens */
  constructor(identity: readonly string[]) {
    const text = JSON.stringify(identity);
    this.#secret = Buffer.from(hkdfSync("sha256", text, "", "flags-proxy verified keys 1", 32));
  }

  write(keys: readonly StoredKey[]): Uint8Array {
    const content = JSON.stringify(
      keys.map(({ key, kind, environment, projects, verifiedAtMs }) => ({
        key,
        kind,
        environment,
        ...(projects && { projects }),
        verifiedAtMs,
      })),
    );
    return Buffer.from(JSON.stringify({ format: FORMAT, mac: this.#macOf(content), content }));
  }

  /** Returns the keys; undefined if the document is damaged, or of another upstream or version. */
  read(bytes: Uint8Array): readonly StoredKey[] | undefined {
    if (bytes.byteLength > MAX_BYTES) return undefined;
    const { format, mac, content } = parse(bytes);
    if (format !== FORMAT || typeof mac !== "string" || typeof content !== "string") {
      return undefined;
    }
    const [expected, given] = [Buffer.from(this.#macOf(content)), Buffer.from(mac)];
    if (expected.length !== given.length || !timingSafeEqual(expected, given)) return undefined;
    // The content is authentic, so it has the right form.
    return JSON.parse(content) as readonly StoredKey[];
  }

  #macOf(content: string): string {
    return createHmac("sha256", this.#secret).update(content).digest("base64url");
  }
}

function parse(bytes: Uint8Array): Readonly<Record<string, unknown>> {
  try {
    const document: unknown = JSON.parse(Buffer.from(bytes).toString());
    return isRecord(document) ? document : {};
  } catch {
    return {};
  }
}
