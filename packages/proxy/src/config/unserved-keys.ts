import { showText } from "flags-server-kit/settings";
import { parseTokenScope, type TokenScope } from "../sources/token-scope.ts";

interface Owner {
  readonly setting: string;
  /** What it names for each environment. */
  readonly entry: string;
  /** The setting with which a key can get an environment that its text does not name. @default there is none */
  readonly accessFile?: string;
}

/** Says why no source serves a key, and what to do. Completes a sentence that begins with the position of the key. */
export function explainUnserved(
  key: string,
  sources: readonly { readonly scope: TokenScope | undefined }[],
  { setting, entry, accessFile }: Owner,
): string {
  const served = [...new Set(sources.map(({ scope }) => scope?.environment ?? "unknown"))];
  const environment = parseTokenScope(key)?.environment;
  const scopes = new Set(sources.map(({ scope }) => JSON.stringify(scope)));
  if (environment === undefined && scopes.size === 1) {
    return `does not name an environment, and ${setting} has several tokens for ${served.join()} and the same project: keep one of these tokens`;
  }
  if (environment === undefined) {
    const [cause, fields] =
      served.length > 1
        ? [`several (${served.join(", ")})`, "an `environment`"]
        : [`several tokens for ${served.join()}`, "an `environment` and `projects`"];
    const other =
      accessFile === undefined
        ? ""
        : `, or move this key to ${accessFile}, where it can have ${fields}`;
    return `does not name an environment, but ${setting} has ${cause}: use keys of the form project:environment.secret${other}`;
  }
  if (served.includes(environment)) {
    return `does not say which of the tokens for ${environment} it belongs to: it must name the project of one of them`;
  }
  // NOTE: a URL with a password also has a colon and a period.
  const name = showText(environment).slice(1, -1);
  return `is a key for the environment ${name}, but ${setting} serves only ${served.join(", ")}: add a ${entry} for ${name}, or remove the key`;
}
