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

/** How contexts are signed: the settings of a key, with the content of the files that they name. */
export interface Signing {
  /** Identifies the settings and the content of the files, without revealing them. */
  readonly id: string;
  /** The URL of the keys that verify signatures. @default they do not come from a URL */
  readonly jwksUrl: string | undefined;
  /** @param keysAt returns the keys at a URL */
  readonly createVerifier: (keysAt: (url: string) => KeySet) => ContextVerifier;
}

/** A way of signing, before it is identified by its content. */
interface Scheme extends Omit<Signing, "id"> {
  /** Everything that it consists of, as JSON values. */
  readonly content: unknown;
  readonly fields: readonly string[];
}

/** Reads a file that a field of an entry names, without white space around its text. */
export type ReadNamedFile = (field: string, path: string, maxBytes?: number) => Promise<string>;

/**
 * Reads how the contexts of a key are signed; undefined if they need not be.
 *
 * @throws {ReadError} if the settings, or a file that they name, cannot be used
 */
export async function readSigning(
  fields: SignedContextFields | undefined,
  readFile: ReadNamedFile,
): Promise<Signing | undefined> {
  if (fields === undefined) return undefined;
  const { hmac, jwt, allowAnonymous = false } = fields;
  if ((hmac === undefined) === (jwt === undefined)) {
    throw new ReadError("must have exactly one of `hmac` and `jwt` in `signedContext`");
  }
  const scheme =
    hmac === undefined
      ? await readJwt(jwt ?? {}, allowAnonymous, readFile)
      : await readHmac(hmac, allowAnonymous, readFile);
  if (scheme.fields.includes(SIGNATURE_PROPERTY)) {
    throw new ReadError(
      `has the field ${SIGNATURE_PROPERTY} in \`signedContext\`: it carries the signature`,
    );
  }
  const content = JSON.stringify([scheme.fields, scheme.content, allowAnonymous]);
  const id = createHash("sha256").update(content).digest("base64url");
  return { id, jwksUrl: scheme.jwksUrl, createVerifier: scheme.createVerifier };
}

async function readHmac(
  { fields = ["userId"], ...settings }: HmacFields,
  allowsAnonymous: boolean,
  readFile: ReadNamedFile,
): Promise<Scheme> {
  const secrets = await readSecrets(settings, "signedContext.hmac", readFile);
  if (secrets.length === 0) {
    throw new ReadError("has no `secret` or `secretFile` in `signedContext.hmac`");
  }
  return {
    fields,
    content: secrets,
    jwksUrl: undefined,
    createVerifier: () => createHmacVerifier(secrets, fields, allowsAnonymous),
  };
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
): Promise<Scheme> {
  const { claims = { userId: "sub" }, issuer, audience, clockToleranceSeconds = 30 } = fields;
  const keys = await readKeys(fields, readFile);
  const { jwksUrl } = keys;
  if (jwksUrl !== undefined && (issuer === undefined || audience === undefined)) {
    throw new ReadError(
      "must have `issuer` and `audience` in `signedContext.jwt`: an identity provider also signs tokens for other applications",
    );
  }
  const rules = {
    claims,
    algorithms: readAlgorithms(fields, keys.areSecrets === true),
    issuer: issuer === undefined ? undefined : [issuer].flat(),
    audience: audience === undefined ? undefined : [audience].flat(),
    clockToleranceSeconds,
  };
  return {
    fields: Object.keys(claims),
    content: [rules, keys.texts],
    jwksUrl,
    createVerifier: (keysAt) => createJwtVerifier(rules, keys.load(keysAt), allowsAnonymous),
  };
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

/** The keys that verify tokens. */
interface SigningKeys {
  /** The keys, or where they are. */
  readonly texts: readonly string[];
  readonly areSecrets?: boolean;
  readonly jwksUrl?: string;
  readonly load: (keysAt: (url: string) => KeySet) => readonly (KeyObject | KeySet)[];
}

async function readKeys(fields: JwtFields, readFile: ReadNamedFile): Promise<SigningKeys> {
  const { jwksUrl, jwksFile, publicKeyFile } = fields;
  const secrets = await readSecrets(fields, "signedContext.jwt", readFile);
  const given = [jwksUrl, jwksFile, publicKeyFile, secrets[0]].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new ReadError(`must have exactly one of ${KEY_FIELDS} in \`signedContext.jwt\``);
  }
  if (jwksUrl !== undefined) {
    const url = checkUrl(jwksUrl);
    return { texts: [url], jwksUrl: url, load: (keysAt) => [keysAt(url)] };
  }
  if (jwksFile !== undefined) {
    const text = await readFile("signedContext.jwt.jwksFile", jwksFile, MAX_JWKS_BYTES);
    checkJwks(text);
    return { texts: [text], load: () => [createKeySet(text)] };
  }
  if (publicKeyFile === undefined) {
    const load = () => secrets.map((secret) => createSecretKey(secret, "utf8"));
    return { texts: secrets, areSecrets: true, load };
  }
  const texts = await Promise.all(
    [publicKeyFile].flat().map((file) => readFile("signedContext.jwt.publicKeyFile", file)),
  );
  for (const text of texts) checkPublicKey(text);
  return { texts, load: () => texts.map((text) => createPublicKey(text)) };
}

/** NOTE: parsed with the first token, since the code for it is loaded only then. */
function createKeySet(text: string): KeySet {
  let parsed: Promise<KeySet> | undefined;
  return async (header, token) => {
    parsed ??= parseKeySet(text);
    return (await parsed)(header, token);
  };
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

function checkJwks(text: string): void {
  let keys: unknown;
  try {
    ({ keys } = JSON.parse(text) as { readonly keys?: unknown });
  } catch {
    keys = undefined;
  }
  if (Array.isArray(keys) && keys.length > 0 && keys.every(isPublicJwk)) return;
  throw new ReadError(
    "has a `signedContext.jwt.jwksFile` that cannot be used: it must be a JSON Web Key Set with public keys only",
  );
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

function checkPublicKey(text: string): void {
  const path = "has a `signedContext.jwt.publicKeyFile` that cannot be used";
  // NOTE: Node would derive the public key from a private one.
  if (text.includes("PRIVATE KEY")) throw new ReadError(`${path}: it contains a private key`);
  let bits: number | undefined;
  try {
    bits = createPublicKey(text).asymmetricKeyDetails?.modulusLength;
  } catch {
    throw new ReadError(`${path}: it must contain a public key or a certificate in PEM`);
  }
  if (bits !== undefined && bits < MIN_RSA_BITS) {
    throw new ReadError(`${path}: RSA keys must have at least ${MIN_RSA_BITS} bits`);
  }
}
