import { createHmac, createSign, generateKeyPairSync, type KeyObject } from "node:crypto";
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import type { Storage } from "../src/storage/storage.ts";
import { Browser } from "./_browser.ts";
import { PUBLIC_URL, startProvider } from "./_openid-provider.ts";
import { collectErrors, startService } from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

/** What the provider sends instead of correct responses. */
interface Attack {
  /** Claims of the id token that differ. Without `roles`, the service reads them from the userinfo endpoint. */
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Times in the id token that differ, in seconds from now. */
  readonly times?: Readonly<Record<string, number>>;
  /** Of the signature of the id token. */
  readonly algorithm?: "HS256" | "RS256" | "none";
  /** The key that signs the id token. @default the one that the provider publishes */
  readonly signingKey?: SigningKey;
  /** Members of the metadata that differ. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Responds to the request for the keys. */
  readonly respondWithKeys?: (response: ServerResponse) => void;
  readonly userInfo?: Readonly<Record<string, unknown>>;
  /** Responds to the request for tokens. */
  readonly respond?: (response: ServerResponse, issuer: string) => void;
}

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");

const sendJson = (response: ServerResponse, body: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
};

interface SigningKey {
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

const createKey = (kid: string): SigningKey => ({
  kid,
  ...generateKeyPairSync("rsa", { modulusLength: 2048 }),
});

/** The key that providers publish at first, and another one. */
const [KEY, OTHER_KEY] = [createKey("one"), createKey("two")];

const SIGN: Readonly<Record<string, (text: string, key: KeyObject) => string>> = {
  none: () => "",
  // The key is public, and so is the client secret if somebody confuses the algorithms.
  HS256: (text) =>
    createHmac("sha256", KEY.publicKey.export({ type: "spki", format: "pem" }))
      .update(text)
      .digest("base64url"),
  RS256: (text, key) => createSign("sha256").update(text).sign(key, "base64url"),
};

/** Starts a provider that sends every browser back at once. */
async function startHostileProvider({
  claims,
  times,
  algorithm = "RS256",
  signingKey = KEY,
  metadata,
  userInfo,
  respond,
  respondWithKeys,
}: Attack) {
  const paths: string[] = [];
  const keys = { signing: signingKey, published: KEY };
  let nonce: string | null = null;
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "", issuer);
    paths.push(pathname);
    if (pathname === "/auth") {
      nonce = searchParams.get("nonce");
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = new URLSearchParams({
        code: "code",
        state: searchParams.get("state") ?? "",
      }).toString();
      response.writeHead(302, { location: back.href }).end();
    } else if (pathname === "/token" && respond !== undefined) {
      respond(response, issuer);
    } else if (pathname === "/token") {
      const now = Math.floor(Date.now() / 1000);
      const dates = Object.entries({ iat: 0, exp: 60, ...times }).map(([name, seconds]) => [
        name,
        now + seconds,
      ]);
      const payload = { iss: issuer, aud: "flags", sub: "jane", nonce, roles: "admin" };
      const content = [
        { alg: algorithm, ...(algorithm === "RS256" && { kid: keys.signing.kid }) },
        { ...payload, ...Object.fromEntries(dates), ...claims },
      ]
        .map(encode)
        .join(".");
      const token = `${content}.${SIGN[algorithm]?.(content, keys.signing.privateKey)}`;
      sendJson(response, { access_token: "access", token_type: "bearer", id_token: token });
    } else if (pathname === "/keys" && respondWithKeys !== undefined) {
      respondWithKeys(response);
    } else if (pathname === "/keys") {
      const { kid, publicKey } = keys.published;
      sendJson(response, { keys: [{ ...publicKey.export({ format: "jwk" }), kid, use: "sig" }] });
    } else if (pathname === "/userinfo") {
      sendJson(response, userInfo);
    } else {
      sendJson(response, {
        issuer,
        authorization_endpoint: `${issuer}/auth`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/keys`,
        ...metadata,
      });
    }
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { issuer, paths, keys };
}

describeAnyStorage("a hostile OpenID provider", (source) => {
  let storage: Storage;
  beforeAll(async () => {
    storage = await source.openFresh();
  });

  const signInWith = async (attack: Attack) => {
    const { issuer, paths, keys } = await startHostileProvider(attack);
    const { config } = await startProvider();
    const warnings: string[] = [];
    const service = await startService(storage, {
      openId: { ...config, issuer },
      publicUrl: PUBLIC_URL,
      logger: { ...collectErrors([]), warn: (...parts) => warnings.push(parts.join(" ")) },
    });
    const openSession = async () => {
      const browser = new Browser(service.url);
      const { url } = await browser.open("auth/openid/start");
      const session = await service.request("/auth/session", { headers: browser.headers });
      return {
        problem: url.searchParams.get("problem"),
        session: session.status === 200 ? ((await session.json()) as object) : session.status,
      };
    };
    return { ...(await openSession()), openSession, paths, keys, warnings };
  };

  test.each<[string, Attack]>([
    ["correct claims", {}],
    ["a clock that is 20 s late", { times: { exp: -20 } }],
    ["a clock that is 20 s early", { times: { iat: 20, nbf: 20 } }],
    [
      "roles of the same user",
      { claims: { roles: undefined }, userInfo: { sub: "jane", roles: "admin" } },
    ],
  ])("a user with %s is signed in", async (_, attack) => {
    const { session, warnings } = await signInWith(attack);
    expect(warnings).toEqual([]);
    expect(session).toMatchObject({ user: { name: "jane" }, role: "admin" });
  });

  test.each<[string, Attack, string]>([
    ["of another sign-in", { claims: { nonce: "another" } }, "nonce"],
    ["of no sign-in", { claims: { nonce: undefined } }, "nonce"],
    ["of another provider", { claims: { iss: "https://id.example" } }, "iss"],
    ["for another service", { claims: { aud: "another" } }, "aud"],
    ["also for another service", { claims: { aud: ["flags", "another"] } }, "aud"],
    ["that has expired", { times: { exp: -60 } }, "exp"],
    ["that is not valid yet", { times: { nbf: 60 } }, "nbf"],
    ["without an algorithm", { algorithm: "none" }, "alg"],
    [
      "without an algorithm, which the provider allows",
      {
        algorithm: "none",
        metadata: { id_token_signing_alg_values_supported: ["RS256", "none"] },
      },
      "alg",
    ],
    [
      "signed with something public instead of a key",
      {
        algorithm: "HS256",
        metadata: { id_token_signing_alg_values_supported: ["RS256", "HS256"] },
      },
      "alg",
    ],
    [
      "signed with another key of the same name",
      { signingKey: { ...OTHER_KEY, kid: "one" } },
      "signature",
    ],
    ["signed with a key that is not published", { signingKey: OTHER_KEY }, "key"],
    ["without a user", { claims: { sub: undefined } }, "sub"],
    ["for a user without a usable id", { claims: { sub: "x".repeat(256) } }, "subject"],
    ["for a user whose id looks like another one", { claims: { sub: "jane\u200b" } }, "subject"],
    [
      "with names that objects inherit",
      { claims: { roles: ["__proto__", "constructor"] } },
      "role",
    ],
    [
      "with the roles of another user",
      { claims: { roles: undefined }, userInfo: { sub: "eve", roles: "admin" } },
      "sub",
    ],
  ])("a token %s is refused", async (_, attack, reason) => {
    const { problem, session, warnings } = await signInWith(attack);
    expect(["failed", "forbidden"]).toContain(problem);
    expect(session).toBe(401);
    expect(warnings.join("\n")).toContain(reason);
  });

  test("a provider can use a new key at once, and then no longer the old one", async () => {
    const { openSession, keys, session } = await signInWith({});
    expect(session).toMatchObject({ role: "admin" });
    keys.published = OTHER_KEY;
    keys.signing = OTHER_KEY;
    expect((await openSession()).session).toMatchObject({ role: "admin" });
    keys.signing = KEY;
    expect(await openSession()).toEqual({ problem: "failed", session: 401 });
  });

  test.each<[string, Attack]>([
    ["do not exist", { respondWithKeys: (response) => response.writeHead(500).end() }],
    ["are no keys", { respondWithKeys: (response) => sendJson(response, { keys: "none" }) }],
    ["cannot be reached", { metadata: { jwks_uri: "http://127.0.0.1:1/keys" } }],
    ["would be read without TLS", { metadata: { jwks_uri: "http://id.example/keys" } }],
    ["are not announced", { metadata: { jwks_uri: undefined } }],
    [
      "are somewhere else",
      { respondWithKeys: (response) => response.writeHead(302, { location: "/userinfo" }).end() },
    ],
  ])("without its keys, nobody signs in, and the log says so: the keys %s", async (_, attack) => {
    const { problem, session, warnings } = await signInWith(attack);
    expect([problem, session]).toEqual(["unavailable", 401]);
    expect(warnings).toEqual([
      expect.stringMatching(
        /^Cannot sign in with OpenID Connect: .*(?:with the keys of the provider: \S|as jwks_uri$)/,
      ) as string,
    ]);
  });

  test("the client secret is not sent to the target of a redirect", async () => {
    const { problem, paths } = await signInWith({
      respond: (response, issuer) =>
        response.writeHead(307, { location: `${issuer}/elsewhere` }).end(),
    });
    expect(problem).toBe("unavailable");
    expect(paths).not.toContain("/elsewhere");
  });

  test("text from the provider is only text in the log and the console", async () => {
    const { session } = await signInWith({
      claims: { preferred_username: "jane\r\n\0\u{202e}<img src=x onerror=alert(1)>" },
    });
    expect(session).toMatchObject({ user: { name: "jane <img src=x onerror=alert(1)>" } });
    const { problem, warnings } = await signInWith({
      respond: (response) => {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: "x", error_description: "one\r\ntwo\u{1b}[31m" }));
      },
    });
    expect(problem).toBe("failed");
    expect(warnings.join("\n")).toMatch(/: x: one two \[31m$/);
  });
});
