import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { isRecord } from "flags-server-kit/neutral";
import { expiredStreamToken, HttpError, invalidStreamToken } from "../http/errors.ts";
import type { Subscription } from "./subscription.ts";

/** How long a token is valid. */
const LIFETIME_MS = 5 * 60 * 1000;

/** A stable token is replaced after this time, and remains valid for the same time after that. */
const STABLE_MS = 12 * 60 * 60 * 1000;

/** Maximum length of a token: common gateways limit the request line, with its path, to 8 KiB. */
const MAX_LENGTH = 6000;

const ID_BYTES = 6;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

interface TokenKey {
  readonly clientId: string;
  /** Identifies the client key in a token, and reveals nothing else. */
  readonly id: Buffer;
  readonly secret: Buffer;
  /** Derives the nonces of stable tokens. */
  readonly nonceSecret: Buffer;
}

interface TokenSecrets {
  /** Must not be known to clients. */
  readonly secret: string;
  /** Returns strings that identify the client keys: the same list as long as no key changes. */
  readonly clientIds: () => readonly string[];
}

/** The content of a token. */
interface StreamTicket {
  readonly clientId: string;
  readonly subscription: Subscription;
}

/** A token for one stream, and when it expires. */
interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Issues and opens tokens that contain a subscription and its client key. Tokens are part of URLs,
 * which appear in logs, and contexts are personal data, so tokens are encrypted. Nothing is stored:
 * every proxy with the same secret and client keys can open them. Removing a client key invalidates
 * its tokens.
 */
export class StreamTokens {
  readonly #secret: string;
  readonly #clientIdsNow: () => readonly string[];
  readonly #now: () => number;
  #clientIds: readonly string[] = [];
  #byId: ReadonlyMap<string, string> = new Map();
  /** Derived when first needed, since there can be many keys. */
  readonly #tokenKeys = new Map<string, TokenKey>();

  constructor({ secret, clientIds }: TokenSecrets, now: () => number = Date.now) {
    this.#secret = secret;
    this.#clientIdsNow = clientIds;
    this.#now = now;
  }

  /** @throws {HttpError} 413 if the token is too large for a URL */
  issue({ clientId, subscription }: StreamTicket): IssuedToken {
    const tokenKey = this.#tokenKeyOf(clientId);
    const expiresAtMs = earlier(this.#now() + LIFETIME_MS, subscription.expiresAtMs);
    const text = JSON.stringify({ expiresAtMs, subscription });
    if (text.length > MAX_LENGTH) throw tooLarge();
    const token = seal(tokenKey, text, randomBytes(NONCE_BYTES));
    if (token.length > MAX_LENGTH) throw tooLarge();
    return { token, expiresAtMs };
  }

  /**
   * Issues a token that is the same for 12 hours and on every replica, so that a response with the
   * token has a stable entity tag. Returns undefined if the token would be too large.
   */
  issueStable({ clientId, subscription }: StreamTicket): string | undefined {
    const tokenKey = this.#tokenKeyOf(clientId);
    const stableUntilMs = (Math.floor(this.#now() / STABLE_MS) + 2) * STABLE_MS;
    const expiresAtMs = earlier(stableUntilMs, subscription.expiresAtMs);
    const text = JSON.stringify({ expiresAtMs, subscription });
    if (text.length > MAX_LENGTH) return undefined;
    // NOTE: no two texts may use the same nonce. It is not random here, so it is derived from the text.
    const nonce = createHmac("sha256", tokenKey.nonceSecret).update(text).digest();
    const token = seal(tokenKey, text, nonce.subarray(0, NONCE_BYTES));
    return token.length > MAX_LENGTH ? undefined : token;
  }

  /** @throws {HttpError} 401 if the token has expired or is not valid */
  open(token: string): StreamTicket {
    const bytes = Buffer.from(token, "base64url");
    this.#refresh();
    const clientId = this.#byId.get(bytes.toString("latin1", 0, ID_BYTES));
    const tokenKey = clientId === undefined ? undefined : this.#derive(clientId);
    const content = tokenKey && token.length <= MAX_LENGTH ? unseal(tokenKey, bytes) : undefined;
    if (tokenKey === undefined || content === undefined) throw invalidStreamToken();
    if (this.#now() >= content.expiresAtMs) throw expiredStreamToken();
    return { clientId: tokenKey.clientId, subscription: content.subscription };
  }

  #tokenKeyOf(clientId: string): TokenKey {
    this.#refresh();
    return this.#derive(clientId);
  }

  /** Follows changes of the keys. */
  #refresh(): void {
    const clientIds = this.#clientIdsNow();
    if (clientIds === this.#clientIds) return;
    this.#clientIds = clientIds;
    this.#tokenKeys.clear();
    const ids = new Map([...this.#byId].map(([id, clientId]) => [clientId, id]));
    this.#byId = new Map(
      clientIds.map((clientId) => [
        ids.get(clientId) ?? idOf(this.#secret, clientId).toString("latin1"),
        clientId,
      ]),
    );
  }

  #derive(clientId: string): TokenKey {
    const known = this.#tokenKeys.get(clientId);
    if (known !== undefined) return known;
    const tokenKey = deriveTokenKey(this.#secret, clientId);
    this.#tokenKeys.set(clientId, tokenKey);
    return tokenKey;
  }
}

/** A token never outlives the signature of its context. */
function earlier(timeMs: number, signedUntilMs = Infinity): number {
  return Math.min(timeMs, signedUntilMs);
}

/** NOTE: clients know their key, so the key alone must not be sufficient to open tokens. */
function deriveTokenKey(secret: string, clientId: string): TokenKey {
  const label = "flags-proxy stream token 3";
  const bytes = Buffer.from(hkdfSync("sha256", secret, clientId, label, 32 + 32));
  return {
    clientId,
    secret: bytes.subarray(0, 32),
    nonceSecret: bytes.subarray(32, 64),
    id: idOf(secret, clientId),
  };
}

/** NOTE: computed for every new key, so it must be fast. */
function idOf(secret: string, clientId: string): Buffer {
  const text = `flags-proxy stream token 3 id ${clientId}`;
  return createHmac("sha256", secret).update(text).digest().subarray(0, ID_BYTES);
}

function seal({ id, secret }: TokenKey, text: string, nonce: Buffer): string {
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([id, nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

interface Content {
  readonly expiresAtMs: number;
  readonly subscription: Subscription;
}

function unseal({ secret }: TokenKey, bytes: Buffer): Content | undefined {
  const nonceEnd = ID_BYTES + NONCE_BYTES;
  const tagEnd = nonceEnd + TAG_BYTES;
  if (bytes.length < tagEnd) return undefined;
  const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(ID_BYTES, nonceEnd), {
    authTagLength: TAG_BYTES,
  });
  decipher.setAuthTag(bytes.subarray(nonceEnd, tagEnd));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(tagEnd)), decipher.final()]);
    const content: unknown = JSON.parse(text.toString("utf8"));
    // The content is authentic: a proxy checked it before encrypting it.
    return isRecord(content) ? (content as unknown as Content) : undefined;
  } catch {
    return undefined;
  }
}

function tooLarge(): HttpError {
  return new HttpError(
    413,
    "The context and the names in `toggles` are too large for a URL: shorten them, or " +
      "open the stream with this request, with `Accept: text/event-stream`",
  );
}
