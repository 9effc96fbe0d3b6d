import { createTextKind, InvalidValue, type Kind } from "flags-server-kit";

/** The address of a PostgreSQL database, which usually holds a password. */
export const databaseUrlKind: Kind<string> = createTextKind(
  "the address of a PostgreSQL database, such as postgres://user:password@host:5432/name",
  (text) => {
    if (!/^postgres(?:ql)?:\/\//i.test(text) || /\s/.test(text)) return new InvalidValue();
    if (!URL.canParse(text)) {
      return new InvalidValue(
        "it is not an address: % and other special characters are written as %25",
      );
    }
    return isDecodable(new URL(text)) ? text : new InvalidValue("a % in it is not written as %25");
  },
);

function isDecodable({ username, password, pathname }: URL): boolean {
  try {
    decodeURIComponent(`${username}${password}${pathname}`);
    return true;
  } catch {
    return false;
  }
}

/** The passwords in such an address, as they are written and as they are meant. */
export function secretsInDatabaseUrl(address: string): readonly string[] {
  const { password, searchParams } = new URL(address);
  const others = ["password", "sslpassword"].flatMap((name) => searchParams.getAll(name));
  return [password, decodeURIComponent(password), ...others];
}

/** The address as it may be shown: where the database is, and nothing else. */
export function showDatabaseUrl(address: string): string {
  const { host, pathname } = new URL(address);
  return `${host === "" ? "this machine" : host}${pathname}`;
}
