import { createHmac, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, type JWK, SignJWT } from "jose";
import { onTestFinished } from "vitest";

export const SECRET = "a-secret-that-only-servers-know-1";

/** Signs the values of a context, as a server of the application does. */
export function sign(values: Readonly<Record<string, string>>, secret = SECRET): string {
  const message = Object.keys(values)
    .toSorted()
    .map((name) => `${name}:${Buffer.byteLength(values[name] ?? "")}:${values[name]}\n`)
    .join("");
  return createHmac("sha256", secret).update(message).digest("hex");
}

export const ISSUER = "https://login.example.com/";
export const AUDIENCE = "flags";

interface SignerOptions {
  /** `key-2` is another key than the others. @default "key-1" */
  readonly kid?: string | undefined;
  /** A stranger has another key as well. @default the identity provider */
  readonly owner?: "stranger" | undefined;
}

type KeyPair = ReturnType<typeof createKeyPair>;
const keyPairs = new Map<string, KeyPair>();

const createKeyPair = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** Returns the same two key pairs for all tests: creating one takes up to a second. */
function keyPairOf(name: "first" | "second"): KeyPair {
  const pair = keyPairs.get(name) ?? createKeyPair();
  keyPairs.set(name, pair);
  return pair;
}

/** A key pair of an identity provider, which signs tokens with RS256 by default. */
export class TokenSigner {
  readonly publicKey: KeyObject;
  readonly #privateKey: KeyObject;
  readonly kid: string | undefined;

  constructor({ kid = "key-1", owner }: SignerOptions = {}) {
    const pair = keyPairOf(owner === undefined && kid !== "key-2" ? "first" : "second");
    this.publicKey = pair.publicKey;
    this.#privateKey = pair.privateKey;
    this.kid = kid;
  }

  get pem(): string {
    return this.publicKey.export({ type: "spki", format: "pem" }).toString();
  }

  async jwk(): Promise<JWK> {
    const jwk = await exportJWK(
      createPublicKey(this.publicKey.export({ type: "spki", format: "pem" })),
    );
    return { ...jwk, use: "sig", ...(this.kid !== undefined && { kid: this.kid }) };
  }

  /** Signs claims. Those of a valid token are added unless they are given; null removes one. */
  async token(
    claims: Readonly<Record<string, unknown>> = {},
    header: Readonly<Record<string, unknown>> = {},
  ): Promise<string> {
    const nowSeconds = Math.floor(Date.now() / 1000);
    const complete = {
      iss: ISSUER,
      aud: AUDIENCE,
      sub: "1",
      iat: nowSeconds,
      exp: nowSeconds + 300,
      ...claims,
    };
    const kept = Object.fromEntries(Object.entries(complete).filter(([, value]) => value !== null));
    return new SignJWT(kept)
      .setProtectedHeader({ alg: "RS256", ...(this.kid && { kid: this.kid }), ...header })
      .sign(this.#privateKey);
  }
}

/** Serves a JSON Web Key Set that tests can change, and counts the requests. */
export async function startKeyServer(keys: () => Promise<readonly JWK[]> | readonly JWK[]) {
  const state = { requests: 0, status: 200, body: undefined as string | undefined };
  const server = createServer((_request, response) => {
    state.requests += 1;
    void Promise.resolve(keys()).then((list) => {
      response.writeHead(state.status, { "content-type": "application/json" });
      response.end(state.body ?? JSON.stringify({ keys: list }));
    });
  });
  server.listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  const stop = (): void => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(stop);
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/jwks.json?tenant=1`, state, stop };
}

/** Combines parts of a token without a valid signature. */
export function forge(
  header: Readonly<Record<string, unknown>>,
  claims: Readonly<Record<string, unknown>>,
  signature = "",
): string {
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode(header)}.${encode(claims)}.${signature}`;
}
