import { expect, test } from "vitest";
import { InvalidAlias } from "./alias.ts";
import { pretrustedTokens } from "./conversions.ts";

test("pretrustedTokens shortens a key of the only environment, and no others", () => {
  const convert = (environment: Record<string, string>) =>
    pretrustedTokens.convert("a-key@dev", environment);
  expect(convert({ TOKENS: "*:dev.secret" })).toBe("a-key");
  expect(() => convert({ TOKENS: "*:prod.secret" })).toThrow(InvalidAlias);
  // The tokens in the file may be those of production.
  const inFile = { TOKENS: "*:dev.secret", FLAGS_API_TOKEN_FILE: "/run/secrets/token" };
  expect(() => convert(inFile)).toThrow(InvalidAlias);
});
