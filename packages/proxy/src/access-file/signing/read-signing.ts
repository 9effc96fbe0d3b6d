import {
  createHash,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";
import { isRecord } from "flags-server-kit/neutral";
import { isSecureUrl, toHttpUrl } from "flags-server-kit/command-line";
import {
  type AccessFileKey,
  MIN_SIGNING_SECRET_LENGTH,
  PUBLIC_KEY_ALGORITHMS,
  SECRET_ALGORITHMS,
} from "../access-schema.ts";
import { ReadError } from "../../files/read-file.ts";
import { createHmacVerifier } from "../../core/access/hmac-verifier.ts";
import { createJwtVerifier } from "./jwt-verifier.ts";
import { type KeySet, parseKeySet } from "./remote-keys.ts";
import { type ContextVerifier, SIGNATURE_PROPERTY } from "../../core/access/verify-context.ts";

type SignedContextFields = NonNullable<AccessFileKey["signedContext"]>;
type HmacFields = NonNullable<SignedContextFields["hmac"]>;
type JwtFields = NonNullable<SignedContextFields["jwt"]>;

export interface Signing {
  /** Identifies the settings and the content of the files that they name, without revealing them. */
  readonly id: string;
  /** The URL of the keys that verify signatures. @default they do not come from a URL */
  readonly jwksUrl: string | undefined;
  readonly verifier: ContextVerifier;
}

/** Reads a file that a field of an entry names, without white space around its text. */
export type ReadNamedFile = (field: string, path: string, maxBytes?: number) => Promise<string>;

export type KeysAt = (url: string) => KeySet;

/**
 * Reads how the contexts of a key are signed; undefined if they need not be.
 *
 * @throws {ReadError} if the settings, or a file that they name, cannot be used
 */
export async function readSigning(
  fields: SignedContextFields | undefined,
  readFile: ReadNamedFile,
  keysAt: KeysAt,
): Promise<Signing | undefined> {
  if (fields === undefined) return undefined;
  const { hmac, jwt, allowAnonymous = false } = fields;
  if ((hmac === undefined) === (jwt === undefined)) {
    throw new ReadError("must have exactly one of `hmac` and `jwt` in `signedContext`");
  }
  if (jwt !== undefined) return readJwt(jwt, allowAnonymous, readFile, keysAt);
  const secrets = await readSecrets(hmac ?? {}, "signedContext.hmac", readFile);
  if (secrets.length === 0) {
    throw new ReadError("has no `secret` or `secretFile` in `signedContext.hmac`");
  }
  const verifier = createHmacVerifier(secrets, hmac?.fields ?? ["userId"], allowAnonymous);
  return toSigning(verifier, secrets);
}

/** @param content everything else that the signing consists of, as JSON values */
function toSigning(verifier: ContextVerifier, content: unknown, jwksUrl?: string): Signing {
  const { fields, allowsAnonymous } = verifier;
  if (fields.includes(SIGNATURE_PROPERTY)) {
    throw new ReadError(
      `has the field ${SIGNATURE_PROPERTY} in \`signedContext\`: it carries the signature`,
    );
  }
  const text = JSON.stringify([fields, content, allowsAnonymous]);
  const id = createHash("sha256").update(text).digest("base64url");
  return { id, jwksUrl, verifier };
}

async function readSecrets(
  { secret = [], secretFile = [] }: Pick<HmacFields, "secret" | "secretFile">,
  path: string,
  readFile: ReadNamedFile,
): Promise<readonly string[]> {
  const fromFiles = await Promise.all(
    [secretFile].flat().map((file) => readFile(`${path}.secretFile`, file)),
  );
  if (fromFiles.some((text) => text.length < MIN_SIGNING_SECRET_LENGTH || text.includes("\n"))) {
    throw new ReadError(
      `has a \`${path}.secretFile\` that does not contain one secret of at least ${MIN_SIGNING_SECRET_LENGTH} characters`,
    );
  }
  return [secret, fromFiles].flat();
}

const KEY_FIELDS = "`jwksUrl`, `jwksFile`, `publicKeyFile` or a secret";

async function readJwt(
  fields: JwtFields,
  allowsAnonymous: boolean,
  readFile: ReadNamedFile,
  keysAt: KeysAt,
): Promise<Signing> {
  const { claims = { userId: "sub" }, issuer, audience, clockToleranceSeconds = 30 } = fields;
  const { texts, keys, jwksUrl, areSecrets = false } = await readKeys(fields, readFile, keysAt);
  if (jwksUrl !== undefined && (issuer === undefined || audience === undefined)) {
    throw new ReadError(
      "must have `issuer` and `audience` in `signedContext.jwt`: an identity provider also signs tokens for other applications",
    );
  }
  const rules = {
    claims,
    algorithms: readAlgorithms(fields, areSecrets),
    issuer: issuer === undefined ? undefined : [issuer].flat(),
    audience: audience === undefined ? undefined : [audience].flat(),
    clockToleranceSeconds,
  };
  return toSigning(createJwtVerifier(rules, keys, allowsAnonymous), [rules, texts], jwksUrl);
}

/** NOTE: a public key must never be accepted as the secret of an HMAC. */
function readAlgorithms({ algorithms }: JwtFields, isSecret: boolean): readonly string[] {
  const possible = isSecret ? SECRET_ALGORITHMS : PUBLIC_KEY_ALGORITHMS;
  const wrong = algorithms?.find((algorithm) => !possible.includes(algorithm));
  if (wrong === undefined) return algorithms ?? possible;
  throw new ReadError(
    `has the algorithm ${wrong} in \`signedContext.jwt\`, which does not fit the kind of key: use one of ${possible.join(", ")}`,
  );
}

const MAX_JWKS_BYTES = 256 * 1024;

interface SigningKeys {
  /** The keys, or where they are. */
  readonly texts: readonly string[];
  readonly keys: readonly KeySet[];
  readonly areSecrets?: boolean;
  readonly jwksUrl?: string;
}

async function readKeys(
  fields: JwtFields,
  readFile: ReadNamedFile,
  keysAt: KeysAt,
): Promise<SigningKeys> {
  const { jwksUrl, jwksFile, publicKeyFile } = fields;
  const secrets = await readSecrets(fields, "signedContext.jwt", readFile);
  const given = [jwksUrl, jwksFile, publicKeyFile, secrets[0]].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new ReadError(`must have exactly one of ${KEY_FIELDS} in \`signedContext.jwt\``);
  }
  if (jwksUrl !== undefined) {
    const url = checkUrl(jwksUrl);
    return { texts: [url], jwksUrl: url, keys: [keysAt(url)] };
  }
  if (jwksFile !== undefined) {
    const text = await readFile("signedContext.jwt.jwksFile", jwksFile, MAX_JWKS_BYTES);
    return { texts: [text], keys: [readKeySet(text)] };
  }
  if (publicKeyFile !== undefined) {
    const texts = await Promise.all(
      [publicKeyFile].flat().map((file) => readFile("signedContext.jwt.publicKeyFile", file)),
    );
    return { texts, keys: texts.map(readPublicKey).map(always) };
  }
  const keys = secrets.map((secret) => always(createSecretKey(secret, "utf8")));
  return { texts: secrets, keys, areSecrets: true };
}

/** NOTE: anyone who can change the response to a plain HTTP request could sign any context. */
function checkUrl(text: string): string {
  const url = toHttpUrl(text);
  const isSafe = url !== undefined && isSecureUrl(url);
  if (isSafe && url.username === "" && url.password === "") return url.href;
  throw new ReadError(
    "has a `signedContext.jwt.jwksUrl` that cannot be used: it must be an `https` URL without a password, or an `http` URL of this machine",
  );
}

function always(key: KeyObject): KeySet {
  return async () => key;
}

function readKeySet(text: string): KeySet {
  let keys: unknown;
  try {
    ({ keys } = JSON.parse(text) as { readonly keys?: unknown });
  } catch {
    keys = undefined;
  }
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isPublicJwk)) {
    throw new ReadError(
      "has a `signedContext.jwt.jwksFile` that cannot be used: it must be a JSON Web Key Set with public keys only",
    );
  }
  // NOTE: with the first token, since the code for it is loaded only then.
  let parsed: Promise<KeySet> | undefined;
  return async (header, token) => (await (parsed ??= parseKeySet(text)))(header, token);
}

function isPublicJwk(jwk: unknown): boolean {
  if (!isRecord(jwk) || "d" in jwk || "k" in jwk) return false;
  try {
    return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" }).type === "public";
  } catch {
    return false;
  }
}

const MIN_RSA_BITS = 2048;

function readPublicKey(text: string): KeyObject {
  const path = "has a `signedContext.jwt.publicKeyFile` that cannot be used";
  // NOTE: Node would derive the public key from a private one.
  if (text.includes("PRIVATE KEY")) throw new ReadError(`${path}: it contains a private key`);
  let key: KeyObject;
  try {
    key = createPublicKey(text);
  } catch {
    throw new ReadError(`${path}: it must contain a public key or a certificate in PEM`);
  }
  if ((key.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS) >= MIN_RSA_BITS) return key;
  throw new ReadError(`${path}: RSA keys must have at least ${MIN_RSA_BITS} bits`);
}
