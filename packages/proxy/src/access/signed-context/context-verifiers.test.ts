import type { HttpClient } from "flags-sdk";
import { expect, test } from "vitest";
import { TokenSigner } from "../../../test/_signed-context.ts";
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

test("keys at URLs are released when no verifier uses them", async () => {
  const reading = new Map<string, AbortSignal>();
  const http = {
    send: ({ url, signal }: { url: URL; signal: AbortSignal }) => {
      reading.set(url.href, signal);
      return new Promise((_, reject) => {
        signal.addEventListener("abort", () => reject(new Error("closed")));
      });
    },
    close: async () => {},
  } as unknown as HttpClient;
  const verifiers = new ContextVerifiers({ logger: new MemoryLogger(), createHttp: () => http });
  const token = await new TokenSigner().token();
  const [first, second, third] = [
    verifiers.get(signingAt("https://a.example/jwks")),
    verifiers.get(signingAt("https://b.example/jwks")),
    verifiers.get(signingAt("https://b.example/jwks", "other rules")),
  ];
  const verified = [first, second].map(async (verifier) => verifier.verify(new Map(), token));
  await expect.poll(() => reading.size).toBe(2);
  verifiers.retain(new Set([third]));
  expect(reading.get("https://a.example/jwks")?.aborted).toBe(true);
  expect(reading.get("https://b.example/jwks")?.aborted).toBe(false);
  verifiers.close();
  expect(reading.get("https://b.example/jwks")?.aborted).toBe(true);
  await Promise.allSettled(verified);
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
