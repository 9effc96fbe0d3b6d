import { errorAnswers } from "../http/schemas.ts";
import type { TypedApp } from "flags-service/http";
import type { Storage } from "../storage/storage.ts";
import { typeOnTheWire } from "../tokens/api-token.ts";
import { findTokens } from "../tokens/find-tokens.ts";
import { ValidatedTokensAnswer, ValidateTokensBody } from "./schemas.ts";

/**
 * Tells proxies which of the tokens that their clients send are right. Nobody needs a token for
 * that: who asks has them already.
 */
export function registerTokenValidation(app: TypedApp, storage: Storage): void {
  app.post(
    "/edge/validate",
    {
      schema: {
        summary: "Tells which SDK tokens are right, and what they open. Admin tokens never are",
        tags: ["Server SDKs"],
        security: [],
        body: ValidateTokensBody,
        response: { 200: ValidatedTokensAnswer, ...errorAnswers(400, 413, 415, 503) },
      },
    },
    async (request) => {
      const secrets = [...new Set(request.body.tokens)];
      const found = await findTokens(storage.db, secrets);
      return {
        tokens: found
          .filter(({ token }) => token.type !== "admin")
          .map(({ secret, token: { type, projects, environment } }) => ({
            token: secret,
            type: typeOnTheWire(type),
            projects,
            environment,
          })),
      };
    },
  );
}
