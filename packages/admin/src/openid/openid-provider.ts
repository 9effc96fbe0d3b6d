import type { JWTVerifyGetKey } from "jose";
import type { Configuration } from "openid-client";
import { codeOf } from "flags-server-kit/neutral";
import { isSecureUrl } from "flags-server-kit/command-line";
import type { OpenIdIdentity } from "../accounts/openid-account.ts";
import type { OpenIdConfig } from "../config/openid-config.ts";
import { fetchLimited } from "./fetch-limited.ts";
import {
  type Claims,
  findClaim,
  readEmail,
  readName,
  readRoles,
  toOneLine,
} from "./read-claims.ts";
import { SIGN_IN_SECONDS, type SignInState } from "./sign-in-state.ts";

/** NOTE: imported only when they are used, and not part of the bundle, whose globals they could not use. */
const loadClient = () => import("openid-client");
const loadJose = () => import("jose");
type Client = Awaited<ReturnType<typeof loadClient>>;

const TIMEOUT_SECONDS = 5;

/** The endpoints of the provider are read again after this time. */
const DISCOVERY_MS = 60 * 60 * 1000;

/** After a provider could not be reached, no request contacts it again for this long. */
const RETRY_MS = 3000;

const MAX_SUBJECT_LENGTH = 255;
const MAX_DETAIL_LENGTH = 300;

interface Discovery {
  readonly configuration: Configuration;
  readonly client: Client;
  /** The keys with which the provider signs. */
  readonly keys: JWTVerifyGetKey;
}

/** An OpenID provider that authenticates users: authorization code flow with PKCE. */
export class OpenIdProvider {
  readonly #config: OpenIdConfig;
  readonly #redirectUri: string;
  #discovery: Discovery | undefined;
  #pending: Promise<Discovery> | undefined;
  #failure: SignInError | undefined;
  #nextDiscoveryMs = 0;

  constructor(config: OpenIdConfig) {
    this.#config = config;
    this.#redirectUri = new URL("auth/openid/callback", config.publicUrl).href;
  }

  /**
   * Starts a sign-in. Returns the URL to redirect the browser to, and the state that is needed to complete the
   * sign-in.
   *
   * @throws {SignInError} if the provider cannot be reached; the same error until it is tried again
   */
  async start(returnTo: string): Promise<{ readonly url: URL; readonly state: SignInState }> {
    const { client, configuration } = await this.#discover();
    const state: SignInState = {
      state: client.randomState(),
      nonce: client.randomNonce(),
      codeVerifier: client.randomPKCECodeVerifier(),
      returnTo,
      expiresAt: Date.now() + SIGN_IN_SECONDS * 1000,
    };
    const url = client.buildAuthorizationUrl(configuration, {
      redirect_uri: this.#redirectUri,
      scope: this.#config.scope,
      state: state.state,
      nonce: state.nonce,
      code_challenge: await client.calculatePKCECodeChallenge(state.codeVerifier),
      code_challenge_method: "S256",
    });
    return { url, state };
  }

  /**
   * Completes a sign-in with the response of the provider. Returns what it says about the user.
   *
   * @param query the query of the address to which the provider has sent the browser
   * @throws {SignInError} if the response is not valid for this sign-in
   */
  async complete(query: string, state: SignInState): Promise<OpenIdIdentity> {
    const discovery = await this.#discover();
    const claims = await this.#exchange(discovery, query, state).catch((error: unknown) => {
      throw toSignInError(discovery.client, error);
    });
    const { sub } = claims;
    if (typeof sub !== "string" || sub !== toOneLine(sub, MAX_SUBJECT_LENGTH)) {
      throw new SignInError(
        "failed",
        `the subject of the user is longer than ${MAX_SUBJECT_LENGTH} characters, or contains invisible ones`,
      );
    }
    return {
      issuer: this.#config.issuer,
      subject: sub,
      name: readName(claims),
      email: readEmail(claims),
      ...readRoles(claims, this.#config),
    };
  }

  async #exchange(
    { client, configuration, keys }: Discovery,
    query: string,
    { state, nonce, codeVerifier }: SignInState,
  ): Promise<Claims> {
    const tokens = await client.authorizationCodeGrant(
      configuration,
      new URL(this.#redirectUri + query),
      {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: codeVerifier,
        idTokenExpected: true,
      },
    );
    await verifySignature(tokens.id_token, keys);
    const claims: Claims = { ...tokens.claims() };
    const { userinfo_endpoint: endpoint } = configuration.serverMetadata();
    const { sub } = claims;
    // Many providers return roles only there.
    if (findClaim(claims, this.#config.roleClaim) !== undefined) return claims;
    if (endpoint === undefined || typeof sub !== "string") return claims;
    const info = await client.fetchUserInfo(configuration, tokens.access_token, sub);
    return { ...info, ...claims };
  }

  /** Reads the endpoints of the provider, at most once at a time. Continues with the previous ones on failure. */
  async #discover(): Promise<Discovery> {
    const now = performance.now();
    if (now < this.#nextDiscoveryMs) {
      if (this.#discovery !== undefined) return this.#discovery;
      if (this.#failure !== undefined) throw this.#failure;
    }
    this.#pending ??= this.#readEndpoints()
      .catch((error: unknown) => {
        this.#failure = new SignInError("unavailable", describe(error));
        throw this.#failure;
      })
      .finally(() => (this.#pending = undefined));
    try {
      this.#discovery = await this.#pending;
      this.#nextDiscoveryMs = performance.now() + DISCOVERY_MS;
      return this.#discovery;
    } catch (error) {
      this.#nextDiscoveryMs = performance.now() + RETRY_MS;
      if (this.#discovery !== undefined) return this.#discovery;
      throw error;
    }
  }

  async #readEndpoints(): Promise<Discovery> {
    const client = await loadClient();
    const { issuer, clientId, clientSecret } = this.#config;
    const server = new URL(issuer);
    const configuration = await client.discovery(
      server,
      clientId,
      undefined,
      // The default of the specification is the other method, which some providers do not offer.
      (metadata, ...rest) => {
        const methods = metadata.token_endpoint_auth_methods_supported ?? [];
        const authenticate = methods.includes("client_secret_post")
          ? client.ClientSecretPost(clientSecret)
          : client.ClientSecretBasic(clientSecret);
        return authenticate(metadata, ...rest);
      },
      {
        timeout: TIMEOUT_SECONDS,
        [client.customFetch]: fetchLimited,
        // NOTE: the settings allow `http` only for this machine.
        execute: server.protocol === "http:" ? [client.allowInsecureRequests] : [],
      },
    );
    checkEndpoints(configuration);
    const { createRemoteJWKSet, customFetch } = await loadJose();
    const keys = createRemoteJWKSet(new URL(configuration.serverMetadata().jwks_uri ?? ""), {
      timeoutDuration: TIMEOUT_SECONDS * 1000,
      // Only the provider sends tokens. So one with a new key can make this service read the keys again at once.
      cooldownDuration: 0,
      [customFetch]: fetchLimited,
    });
    return { client, configuration, keys };
  }
}

/**
 * Checks the signature of an ID token, whose claims the client has checked.
 *
 * @throws {SignInError} if it is not valid, or the keys cannot be read
 */
async function verifySignature(token = "", keys: JWTVerifyGetKey): Promise<void> {
  const { compactVerify } = await loadJose();
  try {
    // NOTE: key sets accept only algorithms with public keys.
    await compactVerify(token, keys);
  } catch (error) {
    throw new SignInError(
      isUnavailable(error) ? "unavailable" : "failed",
      `the signature of the ID token cannot be verified with the keys of the provider: ${describe(error)}`,
    );
  }
}

/** @throws {Error} if users cannot sign in, for example because the issuer creates tokens only for machines */
function checkEndpoints(configuration: Configuration): void {
  const metadata = configuration.serverMetadata();
  for (const name of ["authorization_endpoint", "token_endpoint", "jwks_uri"] as const) {
    const { [name]: endpoint = "" } = metadata;
    if (URL.canParse(endpoint) && isSecureUrl(new URL(endpoint))) continue;
    throw new Error(`the metadata at OIDC_ISSUER contains no https URL as ${name}`);
  }
}

/** Codes of errors that mean that the provider did not respond as it should. */
const UNAVAILABLE_CODES = new Set([
  "OAUTH_TIMEOUT",
  "OAUTH_RESPONSE_IS_NOT_CONFORM",
  "OAUTH_RESPONSE_IS_NOT_JSON",
  // Of a key set that cannot be read.
  "ERR_JOSE_GENERIC",
  "ERR_JWKS_INVALID",
  "ERR_JWKS_TIMEOUT",
]);

function isUnavailable(error: unknown): boolean {
  return error instanceof TypeError || UNAVAILABLE_CODES.has(codeOf(error));
}

function toSignInError(client: Client, error: unknown): SignInError {
  if (error instanceof SignInError) return error;
  if (error instanceof client.AuthorizationResponseError) {
    return new SignInError(error.error === "access_denied" ? "denied" : "failed", describe(error));
  }
  return new SignInError(isUnavailable(error) ? "unavailable" : "failed", describe(error));
}

/** Describes an error for the log. NOTE: not its other properties, which can contain tokens. */
function describe(error: unknown): string {
  if (!(error instanceof Error)) return "unknown error";
  const details = ["error", "error_description"].flatMap((name) => {
    const value: unknown = Reflect.get(error, name);
    return typeof value === "string" ? [value] : [];
  });
  const { cause } = error;
  const reasons = cause instanceof Error ? [cause.message] : [];
  return toOneLine([error.message, ...details, ...reasons].join(": "), MAX_DETAIL_LENGTH);
}

/**
 * Why a sign-in failed, as the page shows it: the provider or the user has refused it; the user has no role; it
 * was not started in this browser or took too long; the provider cannot be reached; anything else.
 */
type SignInProblem = "denied" | "expired" | "failed" | "forbidden" | "unavailable";

/** A sign-in failed. The message is for the log, and contains no secret. */
export class SignInError extends Error {
  override readonly name = "SignInError";
  readonly problem: SignInProblem;

  constructor(problem: SignInProblem, message: string) {
    super(message);
    this.problem = problem;
  }
}
