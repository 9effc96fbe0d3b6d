import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from "node:crypto";
import { HttpError, invalidStreamToken, STREAM_TOKEN_HINT } from "../http/errors.ts";
import type { Subscription } from "./subscription.ts";

const LIFETIME_MS = 5 * 60 * 1000;

/** A stable token is replaced after this time, and remains valid for the same time after that. */
const STABLE_MS = 12 * 60 * 60 * 1000;

/** Maximum length of a token: common gateways limit the request line, with its path, to 8 KiB. */
const MAX_LENGTH = 6000;

const SALT_BYTES = 16;
const TAG_BYTES = 16;
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const CIPHER = "aes-256-gcm";
const LABEL = "flags-proxy stream token 4";

interface StreamTicket {
  /** Identifies the client key and its rules, as `cacheKeyOf()` returns it. */
  readonly clientId: string;
  readonly subscription: Subscription;
}

interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Issues and opens tokens that contain a subscription and the id of its client key, which the caller must check. They are
 * encrypted because URLs appear in logs. Every proxy with the same secret can open them.
 */
export class StreamTokens {
  readonly #secret: string;
  readonly #now: () => number;

  constructor(secret: string, now: () => number = Date.now) {
    this.#secret = secret;
    this.#now = now;
  }

  /** @throws {HttpError} 413 if the token is too large for a URL */
  issue(ticket: StreamTicket): IssuedToken {
    const expiresAtMs = this.#now() + LIFETIME_MS;
    const issued = this.#seal(ticket, expiresAtMs);
    if (issued === undefined) throw tooLarge();
    return issued;
  }

  /** Issues a token that is the same for 12 hours and on every replica; undefined if it would be too large. */
  issueStable(ticket: StreamTicket): string | undefined {
    const stableUntilMs = (Math.floor(this.#now() / STABLE_MS) + 2) * STABLE_MS;
    return this.#seal(ticket, stableUntilMs)?.token;
  }

  /** @throws {HttpError} 401 if the token has expired or is not valid */
  open(token: string): StreamTicket {
    const content = token.length <= MAX_LENGTH ? this.#unseal(token) : undefined;
    if (content === undefined) throw invalidStreamToken();
    const { expiresAtMs, ...ticket } = content;
    if (this.#now() >= expiresAtMs) {
      throw new HttpError(401, `The \`token\` in the URL has expired: ${STREAM_TOKEN_HINT}`);
    }
    return ticket;
  }

  /** Returns undefined if the token would be too large. */
  #seal(ticket: StreamTicket, untilMs: number): IssuedToken | undefined {
    // A token never outlives the signature of its context.
    const expiresAtMs = Math.min(untilMs, ticket.subscription.expiresAtMs ?? Infinity);
    const text = JSON.stringify({ ...ticket, expiresAtMs } satisfies Content);
    if (text.length > MAX_LENGTH) return undefined;
    // NOTE: no two texts may have the same key and nonce, so these are derived from the text.
    const digest = createHmac("sha256", this.#secret).update(`${LABEL}\n${text}`).digest();
    const salt = digest.subarray(0, SALT_BYTES);
    const cipher = createCipheriv(CIPHER, ...this.#derive(salt));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    const token = Buffer.concat([salt, cipher.getAuthTag(), sealed]).toString("base64url");
    return token.length > MAX_LENGTH ? undefined : { token, expiresAtMs };
  }

  #unseal(token: string): Content | undefined {
    const bytes = Buffer.from(token, "base64url");
    const tagEnd = SALT_BYTES + TAG_BYTES;
    if (bytes.length < tagEnd) return undefined;
    const keyAndNonce = this.#derive(bytes.subarray(0, SALT_BYTES));
    const decipher = createDecipheriv(CIPHER, ...keyAndNonce, { authTagLength: TAG_BYTES });
    decipher.setAuthTag(bytes.subarray(SALT_BYTES, tagEnd));
    try {
      const text = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
      // The content is authentic: a proxy checked it before encrypting it.
      return JSON.parse(text.toString("utf8")) as Content;
    } catch {
      return undefined;
    }
  }

  #derive(salt: Buffer): [key: Buffer, nonce: Buffer] {
    const length = KEY_BYTES + NONCE_BYTES;
    const bytes = Buffer.from(hkdfSync("sha256", this.#secret, salt, LABEL, length));
    return [bytes.subarray(0, KEY_BYTES), bytes.subarray(KEY_BYTES)];
  }
}

interface Content extends StreamTicket {
  readonly expiresAtMs: number;
}

function tooLarge(): HttpError {
  return new HttpError(
    413,
    "The context and the names in `toggles` are too large for a URL: shorten them, or " +
      "open the stream with this request, with `Accept: text/event-stream`",
  );
}
