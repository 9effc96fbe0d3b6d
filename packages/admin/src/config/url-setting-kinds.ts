import {
  createTextKind,
  InvalidValue,
  type SettingKind,
  toHttpUrl,
} from "flags-server-kit/command-line";
import { tryDecode } from "flags-server-kit/neutral";

/** The address at which browsers reach the service, with a trailing slash. */
export const publicUrlKind: SettingKind<string> = createTextKind(
  "an http or https URL without a query, such as https://flags.example.com",
  (text) => {
    const address = readAddress(text);
    return typeof address === "string" ? `${address}/` : address;
  },
);

/** The address from which apps read flags, without a trailing slash. */
export const frontendUrlKind: SettingKind<string> = createTextKind(
  "an http or https URL without a query, such as https://proxy.example.com/proxy",
  readAddress,
);

function readAddress(text: string): string | InvalidValue {
  const url = toHttpUrl(text);
  if (url === undefined) return new InvalidValue();
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    return new InvalidValue();
  }
  return url.href.replace(/\/*$/, "");
}

/** As `psql` accepts them: the driver would look up all of them as one name. */
const SEVERAL_HOSTS = /^[^/]+:\/\/(?:[^/?]*@)?(?![^/?]*@)[^/?]*,/;

/** A setting with the URL of a PostgreSQL database, which usually contains a password. */
export const databaseUrlKind: SettingKind<string> = createTextKind(
  "the URL of a PostgreSQL database, such as postgres://user:password@host:5432/name",
  (text) => {
    if (!/^postgres(?:ql)?:\/\//i.test(text) || /\s/.test(text)) return new InvalidValue();
    if (SEVERAL_HOSTS.test(text)) {
      return new InvalidValue(
        "it names several hosts: name one address that always leads to the primary server",
      );
    }
    if (!URL.canParse(text)) {
      return new InvalidValue(
        "it is not a valid URL: write % as %25, and percent-encode other special characters",
      );
    }
    const { username, password, pathname } = new URL(text);
    return [username, password, pathname].some((part) => tryDecode(part) === undefined)
      ? new InvalidValue("it contains a % that is not percent-encoded: write it as %25")
      : text;
  },
);

/** Returns the passwords in a database URL, both encoded and decoded. */
export function secretsInDatabaseUrl(url: string): readonly string[] {
  const { password, searchParams } = new URL(url);
  const others = ["password", "sslpassword"].flatMap((name) => searchParams.getAll(name));
  return [password, decodeURIComponent(password), ...others];
}

/** Returns the host and the path of a database URL, which contain no secrets. */
export function showDatabaseUrl(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host === "" ? "this machine" : host}${pathname}`;
}
