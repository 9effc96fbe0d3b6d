import { isRecord } from "flags-server-kit/command-line";
import { OLD_PROXY_OPTIONS } from "./old-proxy-aliases.ts";

/** Options under their names here. */
interface TranslatedOptions {
  readonly options: Readonly<Record<string, unknown>>;
  /** The option that the program has set, by ours, as in messages. */
  readonly origins: ReadonlyMap<string, string>;
  /** The options of the old proxy in use, and what replaces each. */
  readonly used: ReadonlyMap<string, string>;
}

/** Renames options of the old proxy to their names here. Our own names take precedence. */
export function translateOptions(given: object): TranslatedOptions {
  const options: Record<string, unknown> = isRecord(given) ? { ...given } : {};
  const origins = new Map<string, string>();
  const used = new Map<string, string>();
  for (const [oldName, name] of Object.entries(OLD_PROXY_OPTIONS)) {
    const value = options[oldName];
    delete options[oldName];
    if (value === undefined) continue;
    used.set(oldName, name);
    if (options[name] !== undefined) continue;
    options[name] = value;
    origins.set(`Option ${name}`, `Option ${oldName}`);
  }
  return { options, origins, used };
}
