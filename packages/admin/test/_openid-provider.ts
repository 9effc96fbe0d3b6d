import { generateKeyPairSync, randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import OpenIdProvider, { type Configuration } from "oidc-provider";
import { onTestFinished } from "vitest";
import type { OpenIdConfig } from "../src/config/openid-config.ts";

/** The user who signs in next; undefined if the user refuses. */
interface Account {
  readonly sub: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

interface TestProvider {
  /** Configuration of flags-admin. */
  readonly config: OpenIdConfig;
  account: Account | undefined;
  /** Number of requests for tokens. */
  readonly tokenRequests: () => number;
}

/** Where browsers reach flags-admin. Nothing listens there: the browser of the tests knows its real address. */
export const PUBLIC_URL = "http://localhost:4242/flags/";

const CLIENT = { client_id: "flags", client_secret: randomBytes(20).toString("hex") };

interface ProviderOptions {
  /** Whether claims are only at the userinfo endpoint. @default false */
  readonly usesUserInfo?: boolean;
  readonly authMethod?: "client_secret_basic" | "client_secret_post";
}

/** Starts an OpenID provider on its own port, until the end of the test. */
export async function startProvider(options: ProviderOptions = {}): Promise<TestProvider> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new OpenIdProvider(
    issuer,
    createConfiguration(() => state.account, options),
  );
  let tokenRequests = 0;
  const handle = provider.callback();
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (request.url?.startsWith("/token") === true) tokenRequests += 1;
    if (request.url?.startsWith("/interaction") === true) {
      void finishInteraction(provider, request, response, state.account);
    } else void handle(request, response);
  });
  const state: TestProvider = {
    account: { sub: "jane", claims: { preferred_username: "jane@example.com", roles: "editor" } },
    tokenRequests: () => tokenRequests,
    config: {
      issuer,
      clientId: CLIENT.client_id,
      clientSecret: CLIENT.client_secret,
      publicUrl: PUBLIC_URL,
      name: "Example",
      scope: "openid profile",
      roleClaim: "roles",
      projectRoles: [],
      roles: new Map([
        ["viewer", "viewer"],
        ["editor", "editor"],
        ["admin", "admin"],
      ]),
      defaultRole: undefined,
    },
  };
  return state;
}

/** All providers sign with the same key, because creating one takes a long time. */
const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });

function createConfiguration(
  accountOf: () => Account | undefined,
  { usesUserInfo = false, authMethod = "client_secret_basic" }: ProviderOptions,
): Configuration {
  return {
    clients: [
      {
        ...CLIENT,
        redirect_uris: [new URL("auth/openid/callback", PUBLIC_URL).href],
        token_endpoint_auth_method: authMethod,
      },
    ],
    clientAuthMethods: [authMethod],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "test", use: "sig" }] },
    cookies: { keys: [randomBytes(20).toString("hex")] },
    claims: { openid: ["sub"], profile: ["preferred_username", "roles", "realm_access"] },
    conformIdTokenClaims: usesUserInfo,
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, sub) => ({
      accountId: sub,
      claims: async () => ({ sub, ...accountOf()?.claims }),
    }),
    loadExistingGrant: async ({ oidc }) => {
      const grant = new oidc.provider.Grant({
        clientId: CLIENT.client_id,
        accountId: oidc.session?.accountId ?? "",
      });
      grant.addOIDCScope("openid profile");
      await grant.save();
      return grant;
    },
  };
}

async function finishInteraction(
  provider: OpenIdProvider,
  request: IncomingMessage,
  response: ServerResponse,
  account: Account | undefined,
): Promise<void> {
  const result =
    account === undefined
      ? { error: "access_denied", error_description: "The user refused" }
      : { login: { accountId: account.sub } };
  await provider.interactionFinished(request, response, result);
}
