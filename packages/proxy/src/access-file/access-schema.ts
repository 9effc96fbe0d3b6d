import { type Static, type TOptional, type TProperties, type TString, Type } from "typebox";

/** The largest number of keys in a file. */
export const MAX_KEYS = 100_000;
/** Each of the files that entries name is checked for changes, several times per second. */
export const MAX_KEY_FILES = 200;
/** The shortest secret that can sign contexts. Anyone who has a signature can try secrets without sending requests. */
export const MIN_SIGNING_SECRET_LENGTH = 32;

const optional = <Properties extends TProperties>(properties: Properties) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as { readonly [Name in keyof Properties]: TOptional<Properties[Name]> };

const Environment = Type.String({
  pattern: "^[^\\s:.*]+$",
  description:
    "The environment whose flags the key can read: one name, without spaces, `:`, `.` and `*`. Required with several upstream tokens, unless the key has the form project:environment.secret",
});

const Origin = Type.String({
  pattern:
    "^https?://(?:\\*\\.)?(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*(?::[0-9]{1,5})?$",
  description:
    "An origin such as `https://app.example.com`, or `https://*.example.com` for all subdomains, without a path",
});

const Rate = Type.Object(
  {
    perSecond: Type.Number({
      exclusiveMinimum: 0,
      maximum: 1_000_000,
      description: "Requests per second on average, in each process",
    }),
    burst: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000,
        description: "Requests at once. Default: `perSecond`, rounded up",
      }),
    ),
  },
  { additionalProperties: false, description: "More requests get a 429 with `Retry-After`" },
);

const FilePath = Type.String({ minLength: 1, maxLength: 4000 });

/** One value, or during a rotation a list of values each of which is accepted. */
const oneOrMore = (value: TString, description: string) =>
  Type.Union([value, Type.Array(value, { minItems: 1, maxItems: 10 })], {
    description: `${description}. A string, or a list of up to 10`,
  });

const Secret = oneOrMore(
  Type.String({ minLength: MIN_SIGNING_SECRET_LENGTH, maxLength: 1000 }),
  `The secret, of at least ${MIN_SIGNING_SECRET_LENGTH} characters`,
);

const SecretFile = oneOrMore(
  FilePath,
  "A file that contains only the secret. Relative paths are relative to the access file",
);

const FieldName = Type.String({
  pattern: "^[!-9;-~]{1,100}$",
  description:
    "A context field such as `userId`, or the name of a property, in visible ASCII characters without `:`",
});

const Hmac = Type.Object(
  optional({
    fields: Type.Array(FieldName, {
      minItems: 1,
      maxItems: 20,
      uniqueItems: true,
      description: "The fields that must be signed. Default: `userId`",
    }),
    secret: Secret,
    secretFile: SecretFile,
  }),
  {
    additionalProperties: false,
    description: "The signature is an HMAC-SHA256 of the values, in hexadecimal",
  },
);

/** The algorithms of tokens that are signed with a private key. */
export const PUBLIC_KEY_ALGORITHMS =
  "RS256 RS384 RS512 PS256 PS384 PS512 ES256 ES384 ES512 EdDSA Ed25519".split(" ");

/** The algorithms of tokens that are signed with a shared secret. */
export const SECRET_ALGORITHMS = ["HS256", "HS384", "HS512"];

const Jwt = Type.Object(
  optional({
    claims: Type.Record(FieldName, Type.String({ minLength: 1, maxLength: 255 }), {
      minProperties: 1,
      additionalProperties: false,
      maxProperties: 20,
      description: "The claim that contains the value of each field. Default: `userId: sub`",
    }),
    jwksUrl: Type.String({
      minLength: 1,
      maxLength: 2000,
      description:
        "The URL of the JSON Web Key Set of the identity provider: `https`, or `http` on the same machine",
    }),
    jwksFile: Type.String({ ...FilePath, description: "A file that contains a JSON Web Key Set" }),
    publicKeyFile: oneOrMore(FilePath, "A file that contains the public key, in PEM"),
    secret: Secret,
    secretFile: SecretFile,
    issuer: oneOrMore(
      Type.String({ minLength: 1, maxLength: 2000 }),
      "The accepted values of the claim `iss`. Required with `jwksUrl`",
    ),
    audience: oneOrMore(
      Type.String({ minLength: 1, maxLength: 2000 }),
      "The accepted values of the claim `aud`. Required with `jwksUrl`",
    ),
    algorithms: Type.Array(
      Type.String({ enum: [...PUBLIC_KEY_ALGORITHMS, ...SECRET_ALGORITHMS] }),
      {
        minItems: 1,
        description: "The accepted algorithms. Default: all that fit the kind of key",
      },
    ),
    clockToleranceSeconds: Type.Integer({
      minimum: 0,
      maximum: 300,
      default: 30,
      description: "How much the clocks may differ, in seconds",
    }),
  }),
  { additionalProperties: false, description: "The signature is a JWT that contains the values" },
);

const SignedContext = Type.Object(
  optional({
    hmac: Hmac,
    jwt: Jwt,
    allowAnonymous: Type.Boolean({
      default: false,
      description: "Whether contexts without any of the fields need no signature",
    }),
  }),
  {
    additionalProperties: false,
    description: "The context fields that must be signed. Exactly one of `hmac` and `jwt`",
  },
);

/** One key, as a JSON Schema. */
export const KeySchema = Type.Object(
  {
    name: Type.String({
      pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$",
      description:
        "Up to 100 letters, digits, `.`, `_` and `-`, beginning with a letter or digit. Unique, not secret: it appears in logs and metrics",
    }),
    ...optional({
      key: Type.String({
        pattern: "^[!-~]{1,1000}$",
        description:
          "The key itself: up to 1000 visible ASCII characters, without spaces. In YAML, put a key that begins with `*` in quotes",
      }),
      keyFile: Type.String({
        minLength: 1,
        maxLength: 4000,
        description: "A file that contains the key. Relative paths are relative to the access file",
      }),
      keySha256: Type.String({
        pattern: "^[0-9a-fA-F]{64}$",
        description:
          "The SHA-256 of the key in 64 hexadecimal digits, so that the file contains no secret",
      }),
      kind: Type.Enum(["client", "server"], {
        default: "client",
        description:
          "`client`: results for browsers and apps. `server`: definitions for server SDKs",
      }),
      environment: Environment,
      projects: Type.Array(Type.String({ minLength: 1, maxLength: 255, pattern: "^[^*]+$" }), {
        minItems: 1,
        maxItems: 1000,
        description:
          "The key gives only flags of these projects, which are names without `*`. Default: all",
      }),
      namePrefix: Type.String({
        minLength: 1,
        maxLength: 255,
        description: "The key gives only flags whose names begin with this prefix",
      }),
      origins: Type.Array(Origin, {
        minItems: 1,
        maxItems: 1000,
        description: "Requests with any other `Origin` get a 403. Default: any origin",
      }),
      allFlags: Type.Boolean({
        description:
          "Whether the key can list flags that are off. Default: the value of ENABLE_ALL_ENDPOINT",
      }),
      explain: Type.Boolean({
        default: false,
        description:
          "Whether the key can request explanations at /proxy/explain, which reveal strategies. Requires ENABLE_EXPLAIN",
      }),
      contextFields: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
        maxItems: 1000,
        description: "The context fields that clients can send; others are ignored. Default: all",
      }),
      signedContext: SignedContext,
      rate: Rate,
      expiresAt: Type.String({
        pattern:
          "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\\.[0-9]{1,9})?)?(?:Z|[+-][0-9]{2}:[0-9]{2})$",
        description: "When the key stops working, with a time zone, such as `2027-01-31T00:00:00Z`",
      }),
    }),
  },
  { additionalProperties: false },
);

/** The access file, as a JSON Schema. */
export const AccessFileSchema = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: "Ignored. For editors" })),
    keys: Type.Array(KeySchema, { maxItems: MAX_KEYS }),
  },
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Access file of flags-proxy",
    description: "The keys of clients and servers, with their permissions",
    additionalProperties: false,
  },
);

/** The content of an access file that matches its schema. */
type AccessFileContent = Static<typeof AccessFileSchema>;

/** One key of an access file. */
export type AccessFileKey = AccessFileContent["keys"][number];
