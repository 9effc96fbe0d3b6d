import { request } from "node:http";
import { json } from "node:stream/consumers";
import { beforeAll, expect, test } from "vitest";
import {
  ADMIN_TOKEN,
  BACKEND_TOKEN,
  FRONTEND_TOKEN,
  useService,
  type Service,
} from "./_service.ts";
import { describeAnyStorage } from "./_storages.ts";

const NO_TOKEN = undefined;
const EXPIRED = "expired";

const UNAUTHENTICATED = [
  [NO_TOKEN, 401, "AuthenticationRequired"],
  ["", 401, "AuthenticationRequired"],
  ["Bearer", 401, "AuthenticationRequired"],
  ["nonsense", 401, "UnauthorizedError"],
  ["*:*.wrong", 401, "UnauthorizedError"],
  ["user:wrong", 401, "UnauthorizedError"],
  ["*:development.wrong", 401, "UnauthorizedError"],
  [`${ADMIN_TOKEN}x`, 401, "UnauthorizedError"],
  [ADMIN_TOKEN.slice(0, -1), 401, "UnauthorizedError"],
  [ADMIN_TOKEN.toUpperCase(), 401, "UnauthorizedError"],
  [`Basic ${ADMIN_TOKEN}`, 401, "UnauthorizedError"],
  [EXPIRED, 401, "UnauthorizedError"],
] as const;

const ADMIN = [
  ...UNAUTHENTICATED,
  [BACKEND_TOKEN, 403, "PermissionError"],
  [FRONTEND_TOKEN, 403, "PermissionError"],
  [ADMIN_TOKEN, 200, undefined],
  [`Bearer ${ADMIN_TOKEN}`, 200, undefined],
  [`bearer   ${ADMIN_TOKEN}`, 200, undefined],
] as const;

const BACKEND = [
  ...UNAUTHENTICATED,
  [ADMIN_TOKEN, 403, "PermissionError"],
  [FRONTEND_TOKEN, 403, "PermissionError"],
  [BACKEND_TOKEN, 200, undefined],
  [`Bearer ${BACKEND_TOKEN}`, 200, undefined],
] as const;

const BODIES = [
  ["POST", "/api/admin/api-tokens"],
  ["POST", "/api/admin/context"],
  ["POST", "/api/client/metrics"],
  ["POST", "/api/client/metrics/bulk"],
  ["POST", "/api/client/register"],
] as const;

const REPEATED_HEADER =
  "The `authorization` header must be sent once, but the request has it more than once";

/** Sends one `Authorization` header per token. */
function sendTokens(url: string, tokens: readonly string[]) {
  const headers = { authorization: [...tokens], "content-type": "application/json" };
  return new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    request(url, { agent: false, headers: headers as never }, (response) => {
      json(response).then((body) => resolve({ status: response.statusCode, body }), reject);
    })
      .on("error", reject)
      .end();
  });
}

describeAnyStorage("authentication", (source) => {
  const service = useService(source);
  let expired: string;
  beforeAll(async () => {
    expired = await createExpired(service);
  });

  const send = async (path: string, token: string | undefined): Promise<[number, unknown]> => {
    const response = await service.request(path, { token: token === EXPIRED ? expired : token });
    const { name } = (await response.json()) as { name?: unknown };
    return [response.status, name];
  };

  test.each(ADMIN)(
    "the admin API with token %j responds with %i %s",
    async (token, status, name) => {
      expect(await send("/api/admin/api-tokens", token)).toEqual([status, name]);
    },
  );

  test.each(BACKEND)(
    "the SDK API with token %j responds with %i %s",
    async (token, status, name) => {
      expect(await send("/api/client/features", token)).toEqual([status, name]);
    },
  );

  test("the response to an unknown token says what to do", async () => {
    const response = await service.request("/api/admin/projects", { token: "*:*.wrong" });
    expect(await response.json()).toMatchObject({
      message:
        "The token is unknown, expired or revoked: check that it is complete, or create a new one",
    });
  });

  test.each(["/api/client/delta", "/api/client/streaming", "/api/client/features/f"])(
    "%s responds with 401 without a token and with 403 for the wrong type",
    async (path) => {
      expect(await send(path, NO_TOKEN)).toEqual([401, "AuthenticationRequired"]);
      expect(await send(path, ADMIN_TOKEN)).toEqual([403, "PermissionError"]);
    },
  );

  test.each(BODIES)(
    "%s %s does not validate bodies without a valid token",
    async (method, path) => {
      for (const [token, status] of [
        [undefined, 401],
        ["*:*.wrong", 401],
        [FRONTEND_TOKEN, 403],
      ] as const) {
        for (const body of ["{", "[]", "{}", '"x"', "x".repeat(3_000_000)]) {
          const response = await service.request(path, { method, token, body });
          expect(response.status).toBe(status);
          await response.text();
        }
      }
      expect(service.errors).toEqual([]);
    },
  );

  test("an error response does not contain the rejected token", async () => {
    const response = await service.request("/api/admin/api-tokens", { token: "*:*.guess" });
    const text = await response.text();
    expect(text).not.toContain("guess");
    expect(response.headers.get("cache-control")).toBe("no-store");
  });

  test.each([
    ["/api/admin/projects", ADMIN_TOKEN],
    ["/api/client/features", BACKEND_TOKEN],
  ])(
    "%s rejects a repeated Authorization header, even if one value is valid",
    async (path, token) => {
      for (const tokens of [
        [token, "wrong"],
        ["wrong", token],
        [token, token],
        [token, `Bearer ${token}`],
      ]) {
        // oxlint-disable-next-line no-await-in-loop -- sequential, so that a failure is easy to find
        expect(await sendTokens(service.url + path, tokens)).toEqual({
          status: 400,
          body: {
            id: expect.any(String) as string,
            name: "BadDataError",
            message: REPEATED_HEADER,
            details: [{ message: REPEATED_HEADER }],
          },
        });
      }
      expect((await sendTokens(service.url + path, [token])).status).toBe(200);
    },
  );
});

async function createExpired(service: Service): Promise<string> {
  const { id, secret } = (await service.admin("POST", "/api-tokens", {
    tokenName: "expired",
    type: "client",
  })) as { id: string; secret: string };
  await service.admin("PUT", `/api-tokens/${id}`, { expiresAt: new Date().toISOString() });
  return secret;
}
