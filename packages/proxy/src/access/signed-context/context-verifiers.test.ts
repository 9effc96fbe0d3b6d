import { createConnections, HttpClient } from "flags-sdk/internal";
import type { JWK } from "jose";
import { expect, test } from "vitest";
import { startKeyServer, TokenSigner } from "../../../test/_signed-context.ts";
import { MemoryLogger } from "../../../test/_proxy.ts";
import { ContextVerifiers, createReporter } from "./context-verifiers.ts";
import type { Signing } from "./read-signing.ts";

function signingAt(jwksUrl: string, id = jwksUrl): Signing {
  return {
    id,
    allowsAnonymous: false,
    scheme: {
      kind: "jwt",
      rules: {
        claims: { userId: "sub" },
        algorithms: ["RS256"],
        issuer: undefined,
        audience: undefined,
        clockToleranceSeconds: 0,
      },
      keys: { jwksUrl },
    },
  };
}

/** Has no time limit that could end a request during the test. */
function createHttp(): HttpClient {
  const timeoutMs = 3_600_000;
  const connections = createConnections({ httpProxy: "", httpsProxy: "", noProxy: "", timeoutMs });
  return new HttpClient({ connections, timeoutMs });
}

test("keys at URLs are released when no verifier uses them", async () => {
  const signer = new TokenSigner();
  let respond: (keys: readonly JWK[]) => void = () => undefined;
  const response = new Promise<readonly JWK[]>((resolve) => (respond = resolve));
  const hanging = new Promise<never>(() => undefined);
  const [removed, kept, other] = [
    await startKeyServer(() => hanging),
    await startKeyServer(() => response),
    await startKeyServer(() => hanging),
  ];
  const verifiers = new ContextVerifiers({ logger: new MemoryLogger(), createHttp });
  const token = await signer.token();
  const verify = async (signing: Signing) => verifiers.get(signing).verify(new Map(), token);
  const third = verifiers.get(signingAt(kept.url, "other rules"));
  const [first, second] = [verify(signingAt(removed.url)), verify(signingAt(kept.url))];
  await expect.poll(() => [removed.state.requests, kept.state.requests]).toEqual([1, 1]);

  verifiers.retain(new Set([third]));
  await expect(first).rejects.toThrow("cannot be verified now");
  respond([await signer.jwk()]);
  expect((await second).values).toEqual(new Map([["userId", "1"]]));

  const last = verify(signingAt(other.url));
  await expect.poll(() => other.state.requests).toBe(1);
  verifiers.close();
  await expect(last).rejects.toThrow("cannot be verified now");
});

test("each reason why keys cannot be read is logged once per outage, and the end of it as a warning", () => {
  const logger = new MemoryLogger();
  const report = createReporter(new URL("https://login.example.com/jwks"), logger);
  const [refused, noKeys] = [new Error("refused"), new Error("no keys")];
  for (const result of [undefined, refused, noKeys, refused, undefined, undefined, refused]) {
    report(result);
  }
  const keys = "the keys for signed contexts from https://login.example.com/jwks";
  expect(logger.lines.map(({ level, parts }) => `${level}: ${String(parts[0])}`)).toEqual([
    `error: Cannot read ${keys}: refused`,
    `error: Cannot read ${keys}: no keys`,
    `warn: Read ${keys} again`,
    `error: Cannot read ${keys}: refused`,
  ]);
});
