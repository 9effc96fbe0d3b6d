import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { isRecord } from "flags-service";
import { HttpError } from "../errors.ts";
import type { StreamQuestion } from "./stream-question.ts";

/** For so long a stream can be opened with a token. */
const LIFETIME_MS = 5 * 60 * 1000;

/** A steady token is another one after so long, and can be used for as long again. */
const STEADY_MS = 12 * 60 * 60 * 1000;

/** Longest token; the usual gateways take request lines of 8 KiB, of which a path needs some. */
const MAX_LENGTH = 6000;

const ID_BYTES = 6;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";

interface Lock {
  readonly clientKey: string;
  /** Tells which lock a token fits, and nothing else. */
  readonly id: Buffer;
  readonly secret: Buffer;
  /** What nonces are made with that are not random. */
  readonly nonceSecret: Buffer;
}

interface TokenSecrets {
  /** Known to no client. */
  readonly secret: string;
  readonly clientKeys: readonly string[];
}

/** What a token stands for. */
export interface StreamTicket {
  readonly clientKey: string;
  readonly question: StreamQuestion;
}

/** A token for one stream, and until when it can be opened. */
export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
}

/**
 * Tokens that stand for a question and the client key it was asked with, for addresses, which end
 * up in logs. They are encrypted, as contexts are personal, and nothing is kept of them: any proxy
 * with the same secret and client keys can open them. Those of a key that is removed are void.
 */
export class StreamTokens {
  readonly #locks: ReadonlyMap<string, Lock>;
  readonly #byKey: ReadonlyMap<string, Lock>;
  readonly #now: () => number;

  constructor({ secret, clientKeys }: TokenSecrets, now: () => number = Date.now) {
    const locks = clientKeys.map((clientKey) => deriveLock(secret, clientKey));
    this.#locks = new Map(locks.map((lock) => [lock.id.toString("latin1"), lock]));
    this.#byKey = new Map(locks.map((lock) => [lock.clientKey, lock]));
    this.#now = now;
  }

  /** Makes a token of a question. One that is too large for an address is a 413 that says so. */
  issue({ clientKey, question }: StreamTicket): IssuedToken {
    const lock = this.#lockOf(clientKey);
    const expiresAtMs = this.#now() + LIFETIME_MS;
    const text = JSON.stringify({ expiresAtMs, question });
    const token = seal(lock, text, randomBytes(NONCE_BYTES));
    if (token.length > MAX_LENGTH) throw tooLarge();
    return { token, expiresAtMs };
  }

  /**
   * Makes a token that comes out the same for half a day and on every replica, so that a client that
   * is given it again and again can tell that nothing is new; undefined when it would be too large.
   */
  issueSteady({ clientKey, question }: StreamTicket): string | undefined {
    const lock = this.#lockOf(clientKey);
    const expiresAtMs = (Math.floor(this.#now() / STEADY_MS) + 2) * STEADY_MS;
    const text = JSON.stringify({ expiresAtMs, question });
    // NOTE: a nonce must never serve for two texts, so one that is not random is made of the text.
    const nonce = createHmac("sha256", lock.nonceSecret).update(text).digest();
    const token = seal(lock, text, nonce.subarray(0, NONCE_BYTES));
    return token.length > MAX_LENGTH ? undefined : token;
  }

  /** Opens a token, throwing a 401 that says whether it is too old or no good at all. */
  open(token: string): StreamTicket {
    const bytes = Buffer.from(token, "base64url");
    const lock = this.#locks.get(bytes.toString("latin1", 0, ID_BYTES));
    const content = lock && token.length <= MAX_LENGTH ? unseal(lock, bytes) : undefined;
    if (lock === undefined || content === undefined) throw notValid();
    if (this.#now() >= content.expiresAtMs) throw expired();
    return { clientKey: lock.clientKey, question: content.question };
  }

  #lockOf(clientKey: string): Lock {
    const lock = this.#byKey.get(clientKey);
    if (lock === undefined) throw new TypeError("Cannot issue a token: the client key is unknown");
    return lock;
  }
}

/** NOTE: clients know their key, so that alone must not be enough to open the tokens of others. */
function deriveLock(secret: string, clientKey: string): Lock {
  const label = "flags-proxy stream token 1";
  const bytes = Buffer.from(hkdfSync("sha256", secret, clientKey, label, 32 + 32 + ID_BYTES));
  return {
    clientKey,
    secret: bytes.subarray(0, 32),
    nonceSecret: bytes.subarray(32, 64),
    id: bytes.subarray(64),
  };
}

function seal({ id, secret }: Lock, text: string, nonce: Buffer): string {
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([id, nonce, cipher.getAuthTag(), sealed]).toString("base64url");
}

interface Content {
  readonly expiresAtMs: number;
  readonly question: StreamQuestion;
}

function unseal({ secret }: Lock, bytes: Buffer): Content | undefined {
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
    // Whoever could seal it has made sure of the rest.
    return isRecord(content) ? (content as unknown as Content) : undefined;
  } catch {
    return undefined;
  }
}

function tooLarge(): HttpError {
  return new HttpError(
    413,
    "The context and the names of the toggles are too large for an address: send less of them, or " +
      "read the stream as the answer to this request, with `Accept: text/event-stream`",
  );
}

const ASK_AGAIN = "ask for a new address with `POST`, and a client key, at this path";

function notValid(): HttpError {
  return new HttpError(401, `The \`token\` in the address is missing or not valid: ${ASK_AGAIN}`);
}

function expired(): HttpError {
  return new HttpError(401, `The \`token\` in the address has expired: ${ASK_AGAIN}`);
}
