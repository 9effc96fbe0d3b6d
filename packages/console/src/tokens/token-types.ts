/** The types of tokens that can be created. */
export type TokenType = "admin" | "backend" | "editor" | "frontend" | "viewer";

interface TokenTypeDescription {
  readonly name: string;
  readonly description: string;
  /** Whether the token belongs to one environment and to projects. The others are for people and scripts. */
  readonly isForSdks: boolean;
  /** What no longer works without such a token. */
  readonly loss: string;
}

const PEOPLE_LOSS =
  "Anyone who is signed in with it is signed out, and scripts that use it get an error.";

export const TOKEN_TYPES: Readonly<Record<TokenType, TokenTypeDescription>> = {
  backend: {
    name: "Backend",
    description: "For servers and proxies. It reads all rules of the flags, so keep it secret",
    isForSdks: true,
    loss: "Servers and proxies that use it no longer receive changes, and do not get any flags after a restart.",
  },
  frontend: {
    name: "Frontend",
    description: "For browsers and apps, through a proxy. It may be public",
    isForSdks: true,
    loss: "Browsers and apps that use it no longer get flags from the proxies.",
  },
  viewer: {
    name: "Viewer",
    description: "For people and scripts that only read",
    isForSdks: false,
    loss: PEOPLE_LOSS,
  },
  editor: {
    name: "Editor",
    description: "For people and scripts that change flags",
    isForSdks: false,
    loss: PEOPLE_LOSS,
  },
  admin: {
    name: "Admin",
    description: "For people and scripts that may do everything, including tokens and projects",
    isForSdks: false,
    loss: PEOPLE_LOSS,
  },
};

/** Describes a token type by the name that the service uses. An unknown type is described by its name. */
export function describeTokenType(type: string): TokenTypeDescription {
  // NOTE: the service uses an older name for backend tokens in its responses.
  const id = type === "client" ? "backend" : type;
  return isTokenType(id)
    ? TOKEN_TYPES[id]
    : { name: id, description: "", isForSdks: true, loss: "Anything that uses it stops working." };
}

function isTokenType(id: string): id is TokenType {
  return Object.hasOwn(TOKEN_TYPES, id);
}
