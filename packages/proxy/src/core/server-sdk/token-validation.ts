import {
  GuessLimiter,
  MAX_VALIDATED_TOKENS,
  VALIDATION_BODY_LIMIT_BYTES,
  VALIDATION_LIMITS,
} from "flags-server-kit/neutral";
import { Type } from "typebox";
import { named } from "../http/named-schema.ts";
import type { AccessControl } from "../access/access-control.ts";
import { type Grant, isVerifiedUpstream } from "../access/grant.ts";
import { parseTokenScope } from "../../sources/token-scope.ts";
import { tooManyGuesses } from "../http/errors.ts";
import { jsonReply } from "../http/reply.ts";
import type { ProxyRequest } from "../http/request.ts";
import { FOR_SERVERS, type Route } from "../routing/route.ts";
import { errorResponses } from "../routes/schemas.ts";

const Body = named("tokensToValidateSchema", {
  tokens: Type.Array(Type.String(), { maxItems: MAX_VALIDATED_TOKENS }),
});

const ValidatedToken = named("validatedEdgeTokenSchema", {
  token: Type.String(),
  type: Type.Union([Type.Literal("client"), Type.Literal("frontend")]),
  projects: Type.Array(Type.String()),
  environment: Type.Optional(Type.String()),
});

const Response = named("validatedEdgeTokensSchema", { tokens: Type.Array(ValidatedToken) });

interface TokenValidationOptions {
  readonly access: Pick<AccessControl, "keys" | "upstream">;
  readonly callerAddress: (request: ProxyRequest) => string | undefined;
}

/** The route with which proxies behind this one check the tokens of their clients. It requires no token itself. */
export function tokenValidationRoutes({
  access: { keys, upstream },
  callerAddress,
}: TokenValidationOptions): readonly Route[] {
  const guesses = new GuessLimiter(VALIDATION_LIMITS, tooManyGuesses);
  return [
    {
      method: "POST",
      path: "/edge/validate",
      summary: "Returns the valid keys and tokens among those given, with their scopes",
      tags: ["Server SDKs"],
      responses: { 200: Response, ...errorResponses(400, 413, 415, 429, 503) },
      audience: FOR_SERVERS,
      body: { schema: Body, limitBytes: VALIDATION_BODY_LIMIT_BYTES },
      handle: async (call) => {
        const address = callerAddress(call.request) ?? "";
        const secrets = [...new Set(call.parse(Body).tokens)];
        const found = await guesses.run(address, secrets, async () => {
          await upstream?.verifyAll(secrets, address);
          return secrets.flatMap((secret) => {
            const grant = keys.find(secret, ["server", "client"]);
            return grant === undefined ? [] : [{ secret, grant }];
          });
        });
        const tokens = found.map(({ secret, grant }) => describeGrant(secret, grant));
        return jsonReply({ tokens }, {});
      },
    },
  ];
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
