import { Type } from "typebox";
import { openObject } from "../../http/schemas.ts";

const MAX_NAME_LENGTH = 255;
const MAX_PROJECTS = 500;

const ProjectId = Type.String({ minLength: 1, maxLength: 100 });

/** NOTE: in upper or lower case, which a list of values cannot say. */
const TokenType = Type.String({ description: "`backend` (or `client`), `frontend` or `admin`" });

const ExpiresAt = Type.Unsafe<string | null>({
  type: ["string", "null"],
  format: "date-time",
  description: "Until when the token is accepted; null: for good",
});

export const CreateTokenBody = openObject("createApiTokenSchema", {
  tokenName: Type.String({ minLength: 1, maxLength: MAX_NAME_LENGTH }),
  type: TokenType,
  environment: Type.Optional(
    Type.String({ description: "`development` when left out. Admin tokens are for all: `*`" }),
  ),
  project: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The one project the token is for; `*`: all of them",
    }),
  ),
  projects: Type.Optional(
    Type.Array(ProjectId, {
      minItems: 1,
      maxItems: MAX_PROJECTS,
      description: "The projects the token is for; `*`, or left out: all of them",
    }),
  ),
  expiresAt: Type.Optional(ExpiresAt),
});

export const UpdateTokenBody = openObject("updateApiTokenSchema", { expiresAt: ExpiresAt });

export type CreateToken = Type.Static<typeof CreateTokenBody>;
export type UpdateToken = Type.Static<typeof UpdateTokenBody>;

export const TokenNameParams = Type.Object({ name: Type.String() });
export const TokenParams = Type.Object({
  token: Type.String({ description: "The id of the token, or the token itself" }),
});

const properties = {
  id: Type.String({ description: "Names the token in paths, and opens nothing" }),
  tokenName: Type.String(),
  type: Type.String(),
  environment: Type.String(),
  project: Type.String({ description: "The projects, separated by commas" }),
  projects: Type.Array(Type.String()),
  expiresAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
  createdAt: Type.String({ format: "date-time" }),
  seenAt: Type.Union([Type.String({ format: "date-time" }), Type.Null()], {
    description: "When it was used last, to the minute",
  }),
};

export const TokenListResponse = Type.Object(
  { tokens: Type.Array(Type.Object(properties, { title: "apiTokenSchema" })) },
  { title: "apiTokensSchema" },
);

export const CreatedTokenResponse = Type.Object(
  {
    ...properties,
    secret: Type.String({ description: "The token itself. It is shown this once" }),
  },
  { title: "createdApiTokenSchema" },
);
