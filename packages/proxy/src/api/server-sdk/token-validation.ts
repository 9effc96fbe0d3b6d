import {
  GuessLimiter,
  MAX_VALIDATED_TOKENS,
  type TypedApp,
  VALIDATION_BODY_LIMIT_BYTES,
  VALIDATION_LIMITS,
} from "flags-server-kit/http";
import { Type } from "typebox";
import type { AccessControl } from "../../access/access-control.ts";
import { type Grant, isVerifiedUpstream } from "../../access/grant.ts";
import { tooManyGuesses } from "../../errors.ts";
import { parseTokenScope } from "../../token-scope.ts";
import { errorResponses } from "../schemas.ts";

const Body = Type.Object(
  { tokens: Type.Array(Type.String(), { maxItems: MAX_VALIDATED_TOKENS }) },
  { title: "tokensToValidateSchema" },
);

const ValidatedToken = Type.Object(
  {
    token: Type.String(),
    type: Type.Union([Type.Literal("client"), Type.Literal("frontend")]),
    projects: Type.Array(Type.String()),
    environment: Type.Optional(Type.String()),
  },
  { title: "validatedEdgeTokenSchema" },
);

const Response = Type.Object(
  { tokens: Type.Array(ValidatedToken) },
  { title: "validatedEdgeTokensSchema" },
);

/**
 * Registers the endpoint with which Edge and other proxies behind this one check the tokens of their
 * clients. The protocol requires no authentication for it, so the number of guesses per address is
 * limited.
 */
export function registerTokenValidation(
  app: TypedApp,
  { keys, upstream }: Pick<AccessControl, "keys" | "upstream">,
): void {
  const guesses = new GuessLimiter(VALIDATION_LIMITS, tooManyGuesses);
  app.post(
    "/validate",
    {
      bodyLimit: VALIDATION_BODY_LIMIT_BYTES,
      schema: {
        summary: "Returns the valid keys and tokens among those given, with their scopes",
        tags: ["Server SDKs"],
        body: Body,
        response: { 200: Response, ...errorResponses(400, 413, 415, 429, 503) },
      },
    },
    async (request, reply) => {
      const secrets = [...new Set(request.body.tokens)];
      const found = await guesses.run(request.ip, secrets, async () => {
        await upstream?.verifyAll(secrets, request.ip);
        return secrets.flatMap((secret) => {
          const grant = keys.find(secret, ["server", "client"]);
          return grant === undefined ? [] : [{ secret, grant }];
        });
      });
      return reply.send({ tokens: found.map(({ secret, grant }) => describeGrant(secret, grant)) });
    },
  );
}

function describeGrant(secret: string, grant: Grant) {
  const { kind, flags } = grant;
  const scope = parseTokenScope(secret);
  // The upstream says which projects a key is for. Otherwise the key itself does.
  const project = isVerifiedUpstream(grant) ? "*" : (scope?.project ?? "*");
  return {
    token: secret,
    type: kind === "server" ? ("client" as const) : ("frontend" as const),
    projects: [...(flags.restriction.projects ?? [project])],
    ...(scope && { environment: scope.environment }),
  };
}
