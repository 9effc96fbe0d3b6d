import { Type } from "typebox";
import { bodyObject, type SchemasOf } from "../http/schemas.ts";
import type { ListedToken } from "./token.ts";

const MAX_NAME_LENGTH = 255;
const MAX_PROJECTS = 500;

const ProjectId = Type.String({ minLength: 1, maxLength: 100 });

/** NOTE: not an enum, because upper case is also accepted. */
const TokenType = Type.String({
  description:
    "`backend` (or `client`) or `frontend` for SDKs; `admin`, `editor` or `viewer` for the admin API",
});

const ExpiresAt = Type.Unsafe<string | null>({
  type: ["string", "null"],
  format: "date-time",
  description: "When the token expires; null if it never expires",
});

export const CreateTokenBody = bodyObject("createApiTokenSchema", {
  tokenName: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  type: TokenType,
  environment: Type.Optional(
    Type.String({
      description:
        "`development` by default. Tokens for the admin API apply to all environments: `*`",
    }),
  ),
  project: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The project that the token grants access to; `*` for all",
    }),
  ),
  projects: Type.Optional(
    Type.Array(ProjectId, {
      minItems: 1,
      maxItems: MAX_PROJECTS,
      description: "The projects that the token grants access to; `*` or omitted for all",
    }),
  ),
  expiresAt: Type.Optional(ExpiresAt),
});

export const UpdateTokenBody = bodyObject("updateApiTokenSchema", { expiresAt: ExpiresAt });

export type CreateToken = Type.Static<typeof CreateTokenBody>;
export type UpdateToken = Type.Static<typeof UpdateTokenBody>;

export const TokenNameParams = Type.Object({ name: Type.String() });
export const TokenParams = Type.Object({
  token: Type.String({ description: "The id of the token, or its secret" }),
});

export const ProjectTokenParams = Type.Object({
  projectId: Type.String(),
  ...TokenParams.properties,
});

const properties = {
  id: Type.String({ description: "Identifies the token in paths. It is not a secret" }),
  tokenName: Type.String(),
  type: Type.String(),
  environment: Type.String(),
  project: Type.String({ description: "The projects, separated by commas" }),
  projects: Type.Array(Type.String()),
  expiresAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  createdAt: Type.String({ format: "date-time" }),
  seenAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "When the token was last used, accurate to a minute",
  }),
};

const withSecret = (title: string, description: string) =>
  Type.Object(
    {
      ...properties,
      secret: Type.String({ description }),
      secure: Type.Literal(true, { description: "Only a hash of the token is stored" }),
      alias: Type.Null(),
    } satisfies SchemasOf<ListedToken>,
    { title },
  );

export const TokenListResponse = Type.Object(
  {
    tokens: Type.Array(
      withSecret(
        "apiTokenSchema",
        "The id of the token, where other servers show the token itself",
      ),
    ),
  },
  { title: "apiTokensSchema" },
);

export const CreatedTokenResponse = withSecret(
  "createdApiTokenSchema",
  "The token itself, which cannot be read again",
);
