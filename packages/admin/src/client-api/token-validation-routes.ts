import {
  GuessLimiter,
  MAX_VALIDATED_TOKENS,
  VALIDATION_BODY_LIMIT_BYTES,
  VALIDATION_LIMITS,
} from "flags-server-kit/neutral";
import type { TypedApp } from "../http/typed-app.ts";
import { Type } from "typebox";
import { tooManyGuesses } from "../errors.ts";
import { errorResponses, openObject } from "../http/schemas.ts";
import type { Storage } from "../storage/storage.ts";
import { roleOfType } from "../access/role.ts";
import { toWireType } from "../access/token.ts";
import type { Authentication } from "../access/authentication.ts";
import { findTokens } from "../access/token-store.ts";

const ValidateTokensBody = openObject("tokenStringListSchema", {
  tokens: Type.Array(Type.String(), { maxItems: MAX_VALIDATED_TOKENS }),
});

const ValidatedTokensResponse = Type.Object(
  {
    tokens: Type.Array(
      Type.Object(
        {
          token: Type.String(),
          type: Type.String(),
          projects: Type.Array(Type.String()),
          environment: Type.String(),
        },
        { title: "validatedEdgeTokenSchema" },
      ),
    ),
  },
  { title: "validatedEdgeTokensSchema" },
);

/**
 * Registers the endpoint with which proxies check the tokens of their clients. The protocol requires
 * no authentication for it, so the number of guesses per address is limited.
 */
export function registerTokenValidation(
  app: TypedApp,
  storage: Storage,
  authentication: Pick<Authentication, "markSeen">,
): void {
  const guesses = new GuessLimiter(VALIDATION_LIMITS, tooManyGuesses);
  app.post(
    "/edge/validate",
    {
      config: { checksHost: false, pathForm: "lenient" },
      bodyLimit: VALIDATION_BODY_LIMIT_BYTES,
      schema: {
        operationId: "getValidTokens",
        summary:
          "Returns the valid SDK tokens among those given, with their scopes. Tokens for the admin API are omitted",
        tags: ["Server SDKs"],
        security: [],
        body: ValidateTokensBody,
        response: { 200: ValidatedTokensResponse, ...errorResponses(400, 413, 415, 429, 503) },
      },
    },
    async (request) => {
      const secrets = [...new Set(request.body.tokens)];
      const found = await guesses.run(request.ip, secrets, () => findTokens(storage.db, secrets));
      const valid = found.filter(({ token }) => roleOfType(token.type) === undefined);
      for (const { token } of valid) authentication.markSeen(token.id);
      return {
        tokens: valid.map(({ secret, token: { type, projects, environment } }) => ({
          token: secret,
          type: toWireType(type),
          projects,
          environment,
        })),
      };
    },
  );
}
