// Signed contexts on every endpoint that evaluates flags, and attacks on them, over real sockets.

import { createHmac } from "node:crypto";
import { type EventEmitter, once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { OFREPWebProvider } from "@openfeature/ofrep-web-provider";
import { OpenFeature, type Provider } from "@openfeature/web-sdk";
import fc from "fast-check";
import { InMemoryStorageProvider, UnleashClient } from "unleash-proxy-client";
import { beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { fuzzRuns } from "../../../scripts/test-size.ts";
import { readEvents } from "../../server-kit/test/_event-reader.ts";
import {
  createDirectory,
  listenWithAccessFile,
  replaceFile,
  startWithAccessFile,
} from "./_access-file.ts";
import { flag, withConstraint } from "./_documents.ts";
import { errorOf } from "./_proxy.ts";
import {
  AUDIENCE,
  forge,
  ISSUER,
  SECRET,
  sign,
  startKeyServer,
  TokenSigner,
} from "./_signed-context.ts";

const production = { environment: "production" };
const HEADER = "x-flags-context-signature";
const KEY = "signed-key";

/** The flag `vip` is on for user 1, `gold` with the property plan=gold, `everyone` for all. */
const DOCUMENT = {
  features: [
    flag("everyone"),
    flag("vip", { strategies: [withConstraint("userId", ["1"])] }),
    flag("gold", { strategies: [withConstraint("plan", ["gold"])] }),
  ],
};

const toSetup = (signedContext: object, extra: object = {}) => {
  const rules = { ...production, allFlags: true, explain: true, ...extra, signedContext };
  return {
    keys: [{ name: "signed", key: KEY, ...rules }],
    document: DOCUMENT,
    config: { ofrepEventStreams: true, explainEnabled: true },
  };
};

const start = (signedContext: object, extra: object = {}) =>
  startWithAccessFile(toSetup(signedContext, extra));

type Started = Awaited<ReturnType<typeof start>>;
type Values = Readonly<Record<string, string>>;

const queryOf = (values: Values): string =>
  Object.entries(values)
    .map(([name, value]) => {
      const parameter = name === "userId" ? name : `properties[${name}]`;
      return `${encodeURIComponent(parameter)}=${encodeURIComponent(value)}`;
    })
    .join("&");

const contextOf = ({ userId, ...properties }: Values) => ({ userId, properties });

/** All endpoints that evaluate. Each sends a context, with a signature in it if `signature` is a value. */
const ENDPOINTS: Readonly<
  Record<
    string,
    (proxy: Started, values: Values, headers: Record<string, string>) => Promise<Response>
  >
> = {
  "GET /proxy": ({ get }, values, headers) => get(`/proxy?${queryOf(values)}`, KEY, headers),
  "POST /proxy": ({ post }, values, headers) =>
    post("/proxy", KEY, { context: contextOf(values) }, headers),
  "POST /proxy with toggles": ({ post }, values, headers) =>
    post("/proxy", KEY, { context: contextOf(values), toggles: ["vip"] }, headers),
  "GET /proxy/all": ({ get }, values, headers) =>
    get(`/proxy/all?${queryOf(values)}`, KEY, headers),
  "GET /api/frontend": ({ get }, values, headers) =>
    get(`/api/frontend?${queryOf(values)}`, KEY, headers),
  "POST /api/frontend": ({ post }, values, headers) =>
    post("/api/frontend", KEY, contextOf(values), headers),
  "GET /api/frontend/features": ({ get }, values, headers) =>
    get(`/api/frontend/features/vip?${queryOf(values)}`, KEY, headers),
  "POST /api/proxy/all": ({ post }, values, headers) =>
    post("/api/proxy/all", KEY, { context: contextOf(values) }, headers),
  "POST /ofrep/v1/evaluate/flags": ({ post }, { userId, ...rest }, headers) =>
    post("/ofrep/v1/evaluate/flags", KEY, { context: { targetingKey: userId, ...rest } }, headers),
  "POST /ofrep/v1/evaluate/flags/vip": ({ post }, values, headers) =>
    post("/ofrep/v1/evaluate/flags/vip", KEY, { context: values }, headers),
  "POST /proxy/explain": ({ post }, values, headers) =>
    post("/proxy/explain", KEY, { context: contextOf(values) }, headers),
  "POST /proxy/stream": async ({ post }, values, headers) => {
    const response = await post("/proxy/stream", KEY, { context: contextOf(values) }, headers);
    if (response.status !== 201) return response;
    const { url } = (await response.json()) as { url: string };
    return firstEvent(url, { headers });
  },
  "POST /api/frontend/stream": ({ url }, values, headers) =>
    firstEvent(`${url}/api/frontend/stream`, {
      method: "POST",
      headers: {
        authorization: KEY,
        "content-type": "application/json",
        accept: "text/event-stream",
        ...headers,
      },
      body: JSON.stringify({ context: contextOf(values), all: true }),
    }),
};

/** Returns the first event of a stream as the body of a response; an error as it is. */
async function firstEvent(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, init);
  if (response.status !== 200 || response.body === null) return response;
  for await (const chunk of response.body) {
    const event = Buffer.from(chunk as Uint8Array).toString();
    if (event.includes("data:")) return new Response(event);
  }
  return response;
}

const names = Object.keys(ENDPOINTS);
const evaluate = async (
  proxy: Started,
  endpoint: string,
  values: Values,
  headers: Record<string, string> = {},
): Promise<Response> => {
  const call = ENDPOINTS[endpoint];
  if (call === undefined) throw new Error(`There is no endpoint ${endpoint}`);
  return call(proxy, values, headers);
};

/** Whether the flag `vip` is on in a response of any endpoint. */
const isVip = (body: string): boolean =>
  /"(?:name|key)":"vip",(?:"explanation":"(?:[^"\\]|\\.)*",)?"(?:enabled|value)":true/.test(body);

describe("HMAC", () => {
  const hmac = { hmac: { secret: SECRET } };

  let proxy: Started;
  beforeAll(async () => {
    const { close, ...started } = await listenWithAccessFile(toSetup(hmac));
    proxy = started;
    return close;
  });

  test.each(names)("%s evaluates only contexts with a valid signature", async (endpoint) => {
    const signature = sign({ userId: "1" });
    for (const [values, headers] of [
      [{ userId: "1" }, { [HEADER]: signature }],
      [{ userId: "1", contextSignature: signature }, {}],
      [{ userId: "1", contextSignature: signature.toUpperCase(), plan: "free" }, {}],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await evaluate(proxy, endpoint, values, headers);
      expect(response.status, endpoint).toBe(200);
      // oxlint-disable-next-line no-await-in-loop
      const body = await response.text();
      expect(isVip(body), body).toBe(true);
      expect(body).not.toContain(signature);
    }
    for (const [values, headers, status] of [
      [{ userId: "1" }, {}, 401],
      [{}, {}, 401],
      [{ userId: "" }, {}, 401],
      [{}, { [HEADER]: sign({}) }, 401],
      [{ userId: "1" }, { [HEADER]: "" }, 401],
      [{ userId: "1" }, { [HEADER]: sign({ userId: "2" }) }, 401],
      [{ userId: "1" }, { [HEADER]: sign({ userId: "1" }, `${SECRET}x`) }, 401],
      [{ userId: "1" }, { [HEADER]: signature.slice(2) }, 401],
      [{ userId: "1" }, { [HEADER]: `${signature}00` }, 401],
      [{ userId: "1" }, { [HEADER]: createHmac("sha256", SECRET).update("1").digest("hex") }, 401],
      [{ userId: "1", contextSignature: signature }, { [HEADER]: sign({ userId: "2" }) }, 400],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await evaluate(proxy, endpoint, values, headers);
      expect(response.status, JSON.stringify([values, headers])).toBe(status);
      // oxlint-disable-next-line no-await-in-loop
      expect(await response.text()).not.toContain("everyone");
      expect(response.headers.get("cache-control")).toBe("no-store");
    }
  });

  test("frequent responses are not sent without a valid signature, nor cached by others", async () => {
    for (let i = 0; i < 10; i++) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await evaluate(
        proxy,
        "GET /proxy",
        { userId: "1" },
        { [HEADER]: sign({ userId: "1" }) },
      );
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe("private, max-age=2");
      expect(response.headers.get("vary")).toContain(HEADER);
    }
    expect((await evaluate(proxy, "GET /proxy", { userId: "1" })).status).toBe(401);
    const etag = (
      await evaluate(proxy, "GET /proxy", { userId: "1" }, { [HEADER]: sign({ userId: "1" }) })
    ).headers.get("etag");
    const conditional = { "if-none-match": etag ?? "" };
    expect((await evaluate(proxy, "GET /proxy", { userId: "1" }, conditional)).status).toBe(401);
  });

  test("repeated parameters, a repeated header and bodies with several values are rejected", async () => {
    const [one, two] = [sign({ userId: "1" }), sign({ userId: "2" })];
    const status = async (query: string) => (await proxy.get(`/proxy?${query}`, KEY)).status;
    expect(await status(`userId=2&userId=1&contextSignature=${two}`)).toBe(401);
    expect(await status(`userId=1&contextSignature=${two}&contextSignature=${one}`)).toBe(401);
    expect(
      await status(`userId=1&contextSignature=${two}&properties[contextSignature]=${one}`),
    ).toBe(200);
    expect(await status(`userId=2&properties[userId]=1&contextSignature=${two}`)).toBe(400);
    expect(await status(`properties[userId]=1&contextSignature=${two}`)).toBe(400);
    const socket = connect(Number(new URL(proxy.url).port), "127.0.0.1");
    socket.end(
      `GET /proxy?userId=1 HTTP/1.1\r\nHost: a\r\nAuthorization: ${KEY}\r\n${HEADER}: ${one}\r\n${HEADER}: ${two}\r\nConnection: close\r\n\r\n`,
    );
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400/);
    const body = `{"context":{"userId":"1","userId":"2","properties":{"contextSignature":"${one}"}}}`;
    const duplicate = await fetch(`${proxy.url}/proxy`, {
      method: "POST",
      headers: { authorization: KEY, "content-type": "application/json" },
      body,
    });
    expect(duplicate.status).toBe(401);
  });

  test("several fields are signed together, and cannot be moved, dropped or exchanged", async () => {
    const proxy = await start({ hmac: { secret: SECRET, fields: ["userId", "plan"] } });
    const status = async (values: Values, signature: string) =>
      (await evaluate(proxy, "POST /proxy", values, { [HEADER]: signature })).status;
    const both = sign({ plan: "gold", userId: "1" });
    expect(await status({ userId: "1", plan: "gold", other: "x" }, both)).toBe(200);
    expect(await status({ plan: "gold" }, both)).toBe(401);
    expect(await status({ userId: "1" }, both)).toBe(401);
    expect(await status({ userId: "1" }, sign({ userId: "1" }))).toBe(200);
    expect(await status({ userId: "1", plan: "gold" }, sign({ userId: "1" }))).toBe(401);
    expect(await status({ userId: "gold", plan: "1" }, both)).toBe(401);
    // A value that contains the separators of the signed text.
    const tricky = "1\nplan:4:gold";
    expect(await status({ userId: tricky }, sign({ userId: tricky }))).toBe(200);
    expect(await status({ userId: "1", plan: "gold" }, sign({ userId: tricky }))).toBe(401);
    const replaced = { userId: "a\uFFFD" };
    expect(await status(replaced, sign(replaced))).toBe(200);
    expect(await status({ userId: "a\uD800" }, sign(replaced))).toBe(401);
  });

  test("during a rotation, both secrets are accepted; without the previous one, streams end", async () => {
    const [previous, next] = [SECRET, `${SECRET}-next`];
    const entry = (secret: string | string[]) => ({
      name: "signed",
      key: KEY,
      ...production,
      signedContext: { hmac: { secret } },
    });
    const proxy = await startWithAccessFile({
      keys: [entry([previous, next])],
      document: DOCUMENT,
    });
    const statusOf = async (secret: string) =>
      (
        await evaluate(
          proxy,
          "GET /proxy",
          { userId: "1" },
          { [HEADER]: sign({ userId: "1" }, secret) },
        )
      ).status;
    expect([await statusOf(previous), await statusOf(next)]).toEqual([200, 200]);
    const events = await readEvents(`${proxy.url}/proxy/stream`, {
      method: "POST",
      headers: {
        authorization: KEY,
        "content-type": "application/json",
        accept: "text/event-stream",
        [HEADER]: sign({ userId: "1" }, previous),
      },
      body: JSON.stringify({ context: { userId: "1" } }),
    });
    await events.next();
    await proxy.edit([entry(next)]);
    await events.ended;
    expect([await statusOf(previous), await statusOf(next)]).toEqual([401, 200]);
  });

  test("allowAnonymous accepts contexts without the signed fields, but no unsigned values for them", async () => {
    const proxy = await start({ ...hmac, allowAnonymous: true });
    for (const endpoint of names) {
      // oxlint-disable-next-line no-await-in-loop
      const anonymous = await evaluate(proxy, endpoint, { plan: "gold" });
      expect(anonymous.status).toBe(200);
      // oxlint-disable-next-line no-await-in-loop
      expect(isVip(await anonymous.text())).toBe(false);
      // oxlint-disable-next-line no-await-in-loop
      expect((await evaluate(proxy, endpoint, { userId: "1" })).status, endpoint).toBe(401);
    }
    const left = { contextSignature: sign({ userId: "1" }) };
    expect((await evaluate(proxy, "GET /proxy", left)).status).toBe(200);
    expect((await proxy.get("/proxy?properties[userId]=1", KEY)).status).toBe(400);
  });

  test("an unsigned user id never takes the place of a session id that must be signed", async () => {
    const proxy = await startWithAccessFile({
      ...toSetup({ hmac: { secret: SECRET, fields: ["sessionId"] }, allowAnonymous: true }),
      document: { features: [flag("vip", { strategies: [withConstraint("sessionId", ["1"])] })] },
    });
    const evaluateOfrep = async (context: object): Promise<boolean> => {
      const response = await proxy.post("/ofrep/v1/evaluate/flags/vip", KEY, { context });
      expect(response.status).toBe(200);
      return isVip(await response.text());
    };
    const contextSignature = sign({ sessionId: "1" });
    expect(await evaluateOfrep({ sessionId: "1", contextSignature })).toBe(true);
    expect(await evaluateOfrep({ targetingKey: "1" })).toBe(false);
    expect(await evaluateOfrep({ targetingKey: "1", contextSignature })).toBe(false);
  });

  test("contextFields need not list the signed fields, and other fields stay as sent", async () => {
    const proxy = await start(hmac, { contextFields: ["plan"] });
    const values = { userId: "1", plan: "gold", contextSignature: sign({ userId: "1" }) };
    const body = await (await evaluate(proxy, "GET /proxy", values)).text();
    expect(isVip(body)).toBe(true);
    expect(body).toContain("gold");
  });

  test("the error names the problem, in OFREP too, and never a secret", async () => {
    const missing = await errorOf(await evaluate(proxy, "GET /proxy", { userId: "1" }));
    expect(missing.error).toBe(
      "This key requires a signed context (userId): send the signature in the property `contextSignature` of the context, or in the header `x-flags-context-signature`",
    );
    const wrong = await evaluate(proxy, "POST /ofrep/v1/evaluate/flags", {
      userId: "1",
      contextSignature: sign({ userId: "2" }),
    });
    expect(await wrong.json()).toEqual({
      errorCode: "GENERAL",
      errorDetails:
        "The signature of the context does not match the values that were sent (userId): sign exactly these",
    });
    expect(JSON.stringify(proxy.logger.lines)).not.toContain(SECRET);
  });
});

describe("JWT", () => {
  const jwtWith = (fields: object) => ({
    jwt: { issuer: ISSUER, audience: AUDIENCE, ...fields },
  });

  async function startWithPublicKey(signer: TokenSigner, fields: object = {}, extra: object = {}) {
    const file = join(await createDirectory(), "key.pem");
    await writeFile(file, signer.pem);
    return start({ ...jwtWith({ publicKeyFile: file, ...fields }), ...extra });
  }

  let proxy: Started;
  beforeAll(async () => {
    const directory = await mkdtemp(join(tmpdir(), "flags-key-"));
    const file = join(directory, "key.pem");
    await writeFile(file, new TokenSigner().pem);
    const setup = toSetup(jwtWith({ publicKeyFile: file }));
    const { close, ...started } = await listenWithAccessFile(setup);
    proxy = started;
    return async () => {
      await close();
      await rm(directory, { recursive: true });
    };
  });

  test.each(names)("%s evaluates only contexts with a valid token", async (endpoint) => {
    const signer = new TokenSigner();
    const token = await signer.token();
    const ofUser2 = await signer.token({ sub: "2" });
    const expired = await signer.token({ exp: Math.floor(Date.now() / 1000) - 60 });
    for (const [values, headers, status] of [
      [{ userId: "1", contextSignature: token }, {}, 200],
      [{ userId: "1" }, { [HEADER]: token }, 200],
      // The value can come from the token alone.
      [{}, { [HEADER]: token }, 200],
      [{ userId: "1" }, { [HEADER]: ofUser2 }, 403],
      [{ userId: "1" }, { [HEADER]: expired }, 401],
      [{ userId: "1" }, { [HEADER]: token.slice(0, -4) }, 401],
      [{ userId: "1" }, {}, 401],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await evaluate(proxy, endpoint, values, headers);
      // oxlint-disable-next-line no-await-in-loop
      const body = await response.text();
      expect(response.status, body).toBe(status);
      expect(isVip(body), body).toBe(status === 200);
    }
  });

  test("forged, foreign and expired tokens are rejected, and the message names the problem", async () => {
    const [signer, stranger] = [new TokenSigner(), new TokenSigner({ owner: "stranger" })];
    const proxy = await startWithPublicKey(signer);
    const nowSeconds = Math.floor(Date.now() / 1000);
    const claims = { iss: ISSUER, aud: AUDIENCE, sub: "1", exp: nowSeconds + 300 };
    const hs256 = forge({ alg: "HS256", typ: "JWT" }, claims);
    const confused = createHmac("sha256", signer.pem)
      .update(hs256.slice(0, -1))
      .digest("base64url");
    const [header = "", payload = "", signature = ""] = (await signer.token()).split(".");
    const cases: readonly (readonly [string, string])[] = [
      [forge({ alg: "none" }, claims), "algorithm"],
      [forge({ alg: "None" }, claims), "algorithm"],
      [forge({ alg: "RS256" }, claims), "accepted key"],
      [`${hs256}${confused}`, "algorithm"],
      [await stranger.token(), "accepted key"],
      [await signer.token({ aud: "other" }), "claim `aud`"],
      [await signer.token({ aud: ["other", "more"] }), "claim `aud`"],
      [await signer.token({ aud: null }), "no claim `aud`"],
      [await signer.token({ iss: "https://login.example.com" }), "claim `iss`"],
      [await signer.token({ iss: null }), "no claim `iss`"],
      [await signer.token({ exp: null }), "no claim `exp`"],
      [await signer.token({ exp: nowSeconds - 31 }), "has expired"],
      [await signer.token({ nbf: nowSeconds + 60 }), "not valid yet"],
      [await signer.token({ sub: { id: "1" } }), "claim `sub`"],
      [await signer.token({ sub: ["1"] }), "claim `sub`"],
      [await signer.token({}, { crit: ["exp"], exp: 1 }).catch(() => "a.b.c"), "valid JWT"],
      [`${header}.${payload}.`, "accepted key"],
      [
        `${header}.${forge({}, { ...claims, sub: "2" }).split(".")[1]}.${signature}`,
        "accepted key",
      ],
      [`${header}.${payload}.${signature}.`, "valid JWT"],
      [forge({ alg: "RS256", jwk: await stranger.jwk() }, claims, signature), "accepted key"],
      ["", "signed context"],
      ["a.b.c", "valid JWT"],
      ["x".repeat(9000), "at most 8192"],
    ];
    for (const [token, problem] of cases) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await evaluate(proxy, "GET /proxy", { userId: "1" }, { [HEADER]: token });
      expect(response.status, token).toBe(401);
      // oxlint-disable-next-line no-await-in-loop
      expect((await errorOf(response)).error, token).toContain(problem);
    }
    // Within the tolerance of the clocks.
    for (const accepted of [
      await signer.token({ exp: nowSeconds - 10 }),
      await signer.token({ nbf: nowSeconds + 10 }),
      await signer.token({ aud: ["other", AUDIENCE] }),
    ]) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await evaluate(proxy, "GET /proxy", {}, { [HEADER]: accepted });
      expect(response.status).toBe(200);
    }
  });

  test("claims provide the values of fields and properties; without a claim, the field must be absent", async () => {
    const signer = new TokenSigner();
    const proxy = await startWithPublicKey(signer, { claims: { userId: "uid", plan: "tier" } });
    const bodyOf = async (claims: object, values: Values = {}) => {
      const token = await signer.token({ ...claims });
      const response = await evaluate(proxy, "GET /proxy", values, { [HEADER]: token });
      return { status: response.status, body: await response.text() };
    };
    const numeric = await bodyOf({ uid: 1, tier: "gold" });
    expect(isVip(numeric.body)).toBe(true);
    expect(numeric.body).toContain('"gold"');
    const withoutPlan = await bodyOf({ uid: "1", tier: null });
    expect(withoutPlan.body).not.toContain('"gold"');
    expect((await bodyOf({ uid: "1" }, { plan: "gold" })).status).toBe(403);
    expect((await bodyOf({ uid: "1", __proto__: { tier: "gold" } }, { plan: "gold" })).status).toBe(
      403,
    );
  });

  test("a shared secret accepts only HMAC tokens, even during a rotation", async () => {
    const { SignJWT } = await import("jose");
    const secrets = [SECRET, `${SECRET}-next`];
    const proxy = await start({ jwt: { secret: secrets } });
    const tokenOf = (secret: string, alg = "HS256", exp = "5m") =>
      new SignJWT({ sub: "1" })
        .setProtectedHeader({ alg })
        .setExpirationTime(exp)
        .sign(Buffer.from(secret));
    const statusOf = async (token: string) =>
      (await evaluate(proxy, "GET /proxy", {}, { [HEADER]: token })).status;
    for (const secret of secrets) {
      // oxlint-disable-next-line no-await-in-loop
      expect(await statusOf(await tokenOf(secret))).toBe(200);
    }
    expect(await statusOf(await tokenOf(`${SECRET}x`))).toBe(401);
    expect(await statusOf(await new TokenSigner({ owner: "stranger" }).token())).toBe(401);
    const expired = await evaluate(
      proxy,
      "GET /proxy",
      {},
      {
        [HEADER]: await tokenOf(SECRET, "HS256", "-1h"),
      },
    );
    expect((await errorOf(expired)).error).toContain("has expired");
  });

  test("streams and their addresses expire with the token", async () => {
    vi.useFakeTimers({ toFake: ["Date", "setInterval", "clearInterval"] });
    onTestFinished(() => void vi.useRealTimers());
    const signer = new TokenSigner();
    const proxy = await startWithPublicKey(signer, { clockToleranceSeconds: 0 });
    const exp = Math.floor(Date.now() / 1000) + 60;
    const headers = { [HEADER]: await signer.token({ exp }) };
    const issued = await proxy.post("/proxy/stream", KEY, { context: {} }, headers);
    const { url, expiresAt } = (await issued.json()) as { url: string; expiresAt: string };
    expect(Date.parse(expiresAt)).toBe(exp * 1000);
    const ofrep = await evaluate(proxy, "POST /ofrep/v1/evaluate/flags", {}, headers);
    const { eventStreams } = (await ofrep.json()) as {
      eventStreams: readonly { endpoint: { requestUri: string } }[];
    };
    const addresses = [url, new URL(eventStreams[0]?.endpoint.requestUri ?? "", proxy.url).href];
    const streams = await Promise.all(addresses.map((address) => readEvents(address)));
    await Promise.all(streams.map((events) => events.next()));
    let endedCount = 0;
    for (const { ended } of streams) void ended.then(() => (endedCount += 1));
    vi.advanceTimersByTime(exp * 1000 - 1 - Date.now());
    for (const address of addresses) {
      // oxlint-disable-next-line no-await-in-loop
      const response = await fetch(address);
      expect(response.status).toBe(200);
      // oxlint-disable-next-line no-await-in-loop
      await response.body?.cancel();
    }
    expect(endedCount).toBe(0);
    vi.advanceTimersByTime(1001);
    await Promise.all(streams.map(({ ended }) => ended));
    for (const address of addresses) {
      // oxlint-disable-next-line no-await-in-loop
      expect((await fetch(address)).status).toBe(401);
    }
  });
});

describe("keys of an identity provider", () => {
  const jwks = (jwksUrl: string) => ({ jwt: { jwksUrl, issuer: ISSUER, audience: AUDIENCE } });
  const statusOf = async (proxy: Started, token: string) => {
    const response = await evaluate(proxy, "GET /proxy", {}, { [HEADER]: token });
    return response.status;
  };

  test("random key ids cause at most one request, and keys are not read before the first token", async () => {
    const signer = new TokenSigner();
    const server = await startKeyServer(async () => [await signer.jwk()]);
    const proxy = await start(jwks(server.url));
    expect(server.state.requests).toBe(0);
    const token = await signer.token();
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(proxy, token)));
    expect(new Set(statuses)).toEqual(new Set([200]));
    expect(server.state.requests).toBe(1);
    const flood = await Promise.all(
      Array.from({ length: 100 }, async (_, kid) =>
        statusOf(proxy, await signer.token({}, { kid: `random-${kid}` })),
      ),
    );
    expect(new Set(flood)).toEqual(new Set([401]));
    expect(server.state.requests).toBeLessThanOrEqual(2);
    const stranger = new TokenSigner({ owner: "stranger" });
    expect(await statusOf(proxy, await stranger.token())).toBe(401);
    server.stop();
    expect(await statusOf(proxy, token)).toBe(200);
  });

  test("a token that names no key is accepted only if one key is possible", async () => {
    const [first, second] = [new TokenSigner(), new TokenSigner({ kid: "key-2" })];
    const keys = [await first.jwk()];
    const server = await startKeyServer(() => keys);
    const proxy = await start(jwks(server.url));
    expect(await statusOf(proxy, await first.token({}, { kid: undefined }))).toBe(200);
    keys.push(await second.jwk());
    const other = await start(jwks(server.url));
    const response = await evaluate(
      other,
      "GET /proxy",
      {},
      {
        [HEADER]: await first.token({}, { kid: undefined }),
      },
    );
    expect(response.status).toBe(401);
    expect((await errorOf(response)).error).toContain("`kid`");
  });

  test.each([
    ["does not respond with 200", { status: 500 }],
    ["sends something else", { body: "<html>" }],
    ["sends too much", { body: JSON.stringify({ keys: [], pad: "x".repeat(300_000) }) }],
  ])(
    "a server that %s causes a 503, one log message that says why, and few requests",
    async (_, state) => {
      const signer = new TokenSigner();
      const server = await startKeyServer(async () => [await signer.jwk()]);
      Object.assign(server.state, state);
      const proxy = await start(jwks(server.url));
      const token = await signer.token();
      for (let i = 0; i < 5; i++) {
        // oxlint-disable-next-line no-await-in-loop
        const response = await evaluate(proxy, "GET /proxy", {}, { [HEADER]: token });
        expect(response.status).toBe(503);
        expect(Number(response.headers.get("retry-after"))).toBeGreaterThan(0);
        // oxlint-disable-next-line no-await-in-loop
        expect((await errorOf(response)).error).toBe(
          "Signatures of contexts cannot be verified now: try again later",
        );
      }
      expect(server.state.requests).toBe(1);
      const errors = proxy.logger.lines.filter(({ level }) => level === "error");
      expect(errors).toHaveLength(1);
      expect(String(errors[0]?.parts[0])).toMatch(
        /^Cannot read the keys for signed contexts from http:\/\/127\.0\.0\.1:\d+\/jwks\.json: /,
      );
    },
  );

  test("keys in a file are followed", async () => {
    const [first, second] = [new TokenSigner(), new TokenSigner({ kid: "key-2" })];
    const file = join(await createDirectory(), "jwks.json");
    const write = async (signer: TokenSigner) =>
      replaceFile(file, JSON.stringify({ keys: [await signer.jwk()] }));
    await write(first);
    const proxy = await start({ jwt: { jwksFile: file } });
    const [ofFirst, ofSecond] = [await first.token(), await second.token()];
    expect([await statusOf(proxy, ofFirst), await statusOf(proxy, ofSecond)]).toEqual([200, 401]);
    await write(second);
    await expect.poll(() => statusOf(proxy, ofSecond)).toBe(200);
    expect(await statusOf(proxy, ofFirst)).toBe(401);
  });
});

const RUNS = fuzzRuns(50, 150);

test("no request with an invalid signature gets flags", async () => {
  const signer = new TokenSigner();
  const file = join(await createDirectory(), "key.pem");
  await writeFile(file, signer.pem);
  const proxies = [
    await start({ hmac: { secret: SECRET, fields: ["userId", "plan"] } }),
    await start({ jwt: { publicKeyFile: file, claims: { userId: "sub", plan: "plan" } } }),
  ];
  const valid = [sign({ userId: "1", plan: "gold" }), await signer.token({ plan: "gold" })];
  const value = fc.oneof(
    fc.constantFrom("1", "gold", "1\nplan:4:gold", "userId:1:1", "", " 1"),
    fc.string({ maxLength: 8 }),
  );
  const mutation = fc.oneof(
    fc.record({ kind: fc.constant("none" as const) }),
    fc.record({
      kind: fc.constant("flip" as const),
      at: fc.nat(300),
      by: fc.integer({ min: 1, max: 60 }),
    }),
    fc.record({ kind: fc.constant("cut" as const), at: fc.nat(300) }),
    fc.record({ kind: fc.constant("text" as const), text: fc.string({ maxLength: 80 }) }),
  );
  const applyTo = (
    signature: string,
    change: typeof mutation extends fc.Arbitrary<infer T> ? T : never,
  ) => {
    if (change.kind === "none") return signature;
    if (change.kind === "text") return change.text;
    if (change.kind === "cut") return signature.slice(0, change.at % signature.length);
    const at = change.at % signature.length;
    const code = 33 + ((signature.charCodeAt(at) - 33 + change.by) % 94);
    return signature.slice(0, at) + String.fromCharCode(code) + signature.slice(at + 1);
  };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(0, 1),
      fc.constantFrom(...names),
      fc.record({ userId: value, plan: value }, { requiredKeys: [] }),
      mutation,
      async (scheme, endpoint, sent, change) => {
        const [proxy, original] = [proxies[scheme], valid[scheme]];
        if (proxy === undefined || original === undefined)
          throw new Error("There is no such proxy");
        const signature = applyTo(original, change);
        const values = { ...sent, contextSignature: signature };
        const response = await evaluate(proxy, endpoint, values);
        const body = await response.text();
        const isAuthentic = isSameSignature(scheme, signature, original);
        const matches = (name: "userId" | "plan", expected: string) =>
          (sent[name] ?? "") === expected || (scheme === 1 && !sent[name]);
        if (isAuthentic && matches("userId", "1") && matches("plan", "gold")) {
          expect(response.status, body).toBe(200);
        } else {
          expect([400, 401, 403], body).toContain(response.status);
          expect(body).not.toContain("everyone");
        }
      },
    ),
    { numRuns: RUNS },
  );
});

/** Hexadecimal digits can be in upper case; the last character of base64url has unused bits. */
function isSameSignature(scheme: number, signature: string, original: string): boolean {
  if (scheme === 0) return signature.toLowerCase() === original;
  const bytes = (token: string) => Buffer.from(token.split(".")[2] ?? "", "base64url");
  return (
    signature.slice(0, signature.lastIndexOf(".")) ===
      original.slice(0, original.lastIndexOf(".")) &&
    /^[\w-]+\.[\w-]+\.[\w-]+$/.test(signature) &&
    bytes(signature).equals(bytes(original))
  );
}

test("the example in the documentation signs as the proxy expects", async () => {
  const page = await readFile(
    new URL("../../../docs/guides/sign-contexts.md", import.meta.url),
    "utf8",
  );
  const code = /```js\n(import \{ createHmac.*?)```/s.exec(page)?.[1] ?? "";
  const { signContext } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    readonly signContext: typeof sign;
  };
  const values = { userId: "é42", plan: "gold" };
  expect(signContext(values, SECRET)).toBe(sign(values));
});

describe("official clients", () => {
  test.each([
    ["GET", false],
    ["POST", true],
  ])("unleash-proxy-client, %s: a property carries the signature", async (_, usePOSTrequests) => {
    const { url } = await start({ hmac: { secret: SECRET } });
    const contextFor = (userId: string) => ({
      userId,
      properties: { plan: "gold", contextSignature: sign({ userId }) },
    });
    const client = new UnleashClient({
      url: `${url}/api/frontend`,
      clientKey: KEY,
      appName: "shop",
      usePOSTrequests,
      context: contextFor("1"),
      storageProvider: new InMemoryStorageProvider(),
      disableMetrics: true,
    });
    await client.start();
    expect([client.isEnabled("vip"), client.isEnabled("gold")]).toEqual([true, true]);
    await client.updateContext(contextFor("2"));
    expect([client.isEnabled("vip"), client.isEnabled("gold")]).toEqual([false, true]);
    const failed = once(client as unknown as EventEmitter, "error");
    await client.updateContext({ ...contextFor("2"), userId: "1" });
    expect((await failed)[0]).toMatchObject({ type: "HttpError", code: 401 });
    expect(client.isEnabled("vip")).toBe(false);
    client.stop();
  });

  test("unleash-proxy-client: a custom header carries the signature", async () => {
    const { url } = await start({ hmac: { secret: SECRET } });
    const client = new UnleashClient({
      url: `${url}/proxy`,
      clientKey: KEY,
      appName: "shop",
      customHeaders: { "X-Flags-Context-Signature": sign({ userId: "1" }) },
      context: { userId: "1" },
      storageProvider: new InMemoryStorageProvider(),
      disableMetrics: true,
    });
    await client.start();
    expect(client.isEnabled("vip")).toBe(true);
    client.stop();
  });

  test("the web provider of OpenFeature: a field of the context or a header carries a token", async () => {
    const signer = new TokenSigner();
    const file = join(await createDirectory(), "key.pem");
    await writeFile(file, signer.pem);
    const { url } = await start({ jwt: { publicKeyFile: file } });
    onTestFinished(() => OpenFeature.close());
    const token = await signer.token();
    const isVip = () => OpenFeature.getClient().getBooleanValue("vip", false);
    await OpenFeature.setContext({ targetingKey: "1", contextSignature: token });
    const headers = [["Authorization", `Bearer ${KEY}`]] as [string, string][];
    await OpenFeature.setProviderAndWait(
      new OFREPWebProvider({ baseUrl: url, headers, pollInterval: 0 }) as Provider,
    );
    expect(isVip()).toBe(true);
    await OpenFeature.setContext({ targetingKey: "1" });
    await OpenFeature.setProviderAndWait(
      new OFREPWebProvider({
        baseUrl: url,
        pollInterval: 0,
        headers,
        headersFactory: async () => [["X-Flags-Context-Signature", token]],
      }) as Provider,
    );
    expect(isVip()).toBe(true);
  });
});
