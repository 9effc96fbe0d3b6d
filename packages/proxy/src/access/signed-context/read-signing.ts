import { createHash, createPublicKey, type JsonWebKey } from "node:crypto";
import { isRecord, isSecureUrl } from "flags-server-kit";
import { toHttpUrl } from "flags-server-kit/command-line";
import {
  type AccessFileKey,
  MIN_SIGNING_SECRET_LENGTH,
  PUBLIC_KEY_ALGORITHMS,
  SECRET_ALGORITHMS,
} from "../access-schema.ts";
import { ReadError } from "../../files/read-file.ts";
import { SIGNATURE_PROPERTY } from "./verify-context.ts";

type SignedContextFields = NonNullable<AccessFileKey["signedContext"]>;
type HmacFields = NonNullable<SignedContextFields["hmac"]>;
type JwtFields = NonNullable<SignedContextFields["jwt"]>;

/** How contexts are signed: the settings of a key, with the content of the files that they name. */
export interface Signing {
  /** Identifies the settings and the content of the files, without revealing them. */
  readonly id: string;
  readonly allowsAnonymous: boolean;
  readonly scheme: HmacScheme | JwtScheme;
}

interface HmacScheme {
  readonly kind: "hmac";
  readonly fields: readonly string[];
  readonly secrets: readonly string[];
}

interface JwtScheme {
  readonly kind: "jwt";
  readonly rules: JwtRules;
  readonly keys: JwtKeyTexts;
}

/** Which tokens are accepted, and what their claims mean. */
export interface JwtRules {
  /** The claim with the value of each context field. */
  readonly claims: Readonly<Record<string, string>>;
  readonly algorithms: readonly string[];
  /** Accepted values of `iss`. @default any */
  readonly issuer: readonly string[] | undefined;
  /** Accepted values of `aud`. @default any */
  readonly audience: readonly string[] | undefined;
  readonly clockToleranceSeconds: number;
}

type JwtKeyTexts =
  | { readonly secrets: readonly string[] }
  /** In PEM. */
  | { readonly publicKeys: readonly string[] }
  /** A JSON Web Key Set. */
  | { readonly jwks: string }
  | { readonly jwksUrl: string };

/** Returns the URL of the keys that verify signatures; undefined if they do not come from a URL. */
export function jwksUrlOf({ scheme }: Signing): string | undefined {
  return scheme.kind === "jwt" && "jwksUrl" in scheme.keys ? scheme.keys.jwksUrl : undefined;
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
    hmac === undefined ? await readJwt(jwt ?? {}, readFile) : await readHmac(hmac, readFile);
  const names = scheme.kind === "hmac" ? scheme.fields : Object.keys(scheme.rules.claims);
  if (names.includes(SIGNATURE_PROPERTY)) {
    throw new ReadError(
      `has the field ${SIGNATURE_PROPERTY} in \`signedContext\`: it carries the signature`,
    );
  }
  const content = JSON.stringify([scheme, allowAnonymous]);
  const id = createHash("sha256").update(content).digest("base64url");
  return { id, allowsAnonymous: allowAnonymous, scheme };
}

async function readHmac(hmac: HmacFields, readFile: ReadNamedFile): Promise<HmacScheme> {
  const { fields = ["userId"] } = hmac;
  const secrets = await readSecrets(hmac, "signedContext.hmac", readFile);
  if (secrets.length > 0) return { kind: "hmac", fields, secrets };
  throw new ReadError("has no `secret` or `secretFile` in `signedContext.hmac`");
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

async function readJwt(fields: JwtFields, readFile: ReadNamedFile): Promise<JwtScheme> {
  const { claims = { userId: "sub" }, issuer, audience, clockToleranceSeconds = 30 } = fields;
  const keys = await readKeys(fields, readFile);
  if ("jwksUrl" in keys && (issuer === undefined || audience === undefined)) {
    throw new ReadError(
      "must have `issuer` and `audience` in `signedContext.jwt`: an identity provider also signs tokens for other applications",
    );
  }
  return {
    kind: "jwt",
    rules: {
      claims,
      algorithms: readAlgorithms(fields, "secrets" in keys),
      issuer: issuer === undefined ? undefined : [issuer].flat(),
      audience: audience === undefined ? undefined : [audience].flat(),
      clockToleranceSeconds,
    },
    keys,
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

async function readKeys(fields: JwtFields, readFile: ReadNamedFile): Promise<JwtKeyTexts> {
  const { jwksUrl, jwksFile, publicKeyFile } = fields;
  const secrets = await readSecrets(fields, "signedContext.jwt", readFile);
  const given = [jwksUrl, jwksFile, publicKeyFile, secrets[0]].filter((each) => each !== undefined);
  if (given.length !== 1) {
    throw new ReadError(`must have exactly one of ${KEY_FIELDS} in \`signedContext.jwt\``);
  }
  if (jwksUrl !== undefined) return { jwksUrl: checkUrl(jwksUrl) };
  if (jwksFile !== undefined) {
    return {
      jwks: checkJwks(await readFile("signedContext.jwt.jwksFile", jwksFile, MAX_JWKS_BYTES)),
    };
  }
  if (publicKeyFile === undefined) return { secrets };
  const texts = await Promise.all(
    [publicKeyFile].flat().map((file) => readFile("signedContext.jwt.publicKeyFile", file)),
  );
  for (const text of texts) checkPublicKey(text);
  return { publicKeys: texts };
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

function checkJwks(text: string): string {
  let keys: unknown;
  try {
    ({ keys } = JSON.parse(text) as { readonly keys?: unknown });
  } catch {
    keys = undefined;
  }
  const areKeys = Array.isArray(keys) && keys.length > 0 && keys.every(isPublicJwk);
  if (areKeys) return text;
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
