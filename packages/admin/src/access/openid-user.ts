// How users of OpenID Connect are identified. Their names are not unique, and some providers let users change them.

/** Issuer and subject, which together identify a user. */
export interface OpenIdUser {
  readonly issuer: string;
  readonly subject: string;
}

/** Joins them to the id of a caller. NOTE: an issuer is a URL, and so contains no space. */
export function toUserId({ issuer, subject }: OpenIdUser): string {
  return `${issuer} ${subject}`;
}

/** Splits the id of a caller. */
export function fromUserId(id: string): OpenIdUser {
  const [issuer = ""] = id.split(" ", 1);
  return { issuer, subject: id.slice(issuer.length + 1) };
}

const PREFIX = "openid:";

/** Returns the name of a user for events, where it must differ from the names of tokens. */
export function toAuthorName(name: string): string {
  return PREFIX + name;
}

/** Whether no token may have a name, because events use it for other authors. */
export function isReservedName(name: string): boolean {
  return name.startsWith(PREFIX) || name === "system";
}
