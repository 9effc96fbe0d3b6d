import { createHash } from "node:crypto";
import type { Source } from "../sources/sources.ts";
import { findSourceByScope, type TokenScope } from "../sources/token-scope.ts";
import type { AccessFileKey } from "./access-schema.ts";
import { TokenBucket } from "flags-server-kit/neutral";
import type { Grant, KeyRules } from "../core/access/grant.ts";
import { createOriginCheck } from "../core/access/origins.ts";
import { MAX_PROBLEMS } from "./parse-access-file.ts";
import type { AccessEntry, AccessFile } from "./read-access-file.ts";
import type { Visibility } from "../core/access/visible-flags.ts";
import { FileError } from "../files/read-file.ts";

interface ScopedSource {
  readonly scope: TokenScope | undefined;
}

interface RelatedConfig<S extends ScopedSource> {
  readonly sources: readonly S[];
  /** Digests of the keys in settings. */
  readonly staticKeys: ReadonlySet<string>;
}

interface AssignedEntry<Source> {
  readonly entry: AccessEntry;
  readonly source: Source;
}

type Report = (field: keyof AccessFileKey | undefined, message: string) => void;

/**
 * Finds the source of each key, and checks what the schema cannot express.
 *
 * @throws {FileError} with all problems
 */
export function assignSources<S extends ScopedSource>(
  { entries, describe, paths, fingerprint, problems: found }: AccessFile,
  { sources, staticKeys }: RelatedConfig<S>,
): readonly AssignedEntry<S>[] {
  const problems = [...found];
  const assigned = entries.flatMap((entry) => {
    const report: Report = (field, message) => {
      const path = field === undefined ? ["keys", entry.index] : ["keys", entry.index, field];
      problems.push(describe({ path, message }));
    };
    if (staticKeys.has(entry.digest)) report(undefined, IN_SETTING);
    checkFields(entry.fields, report);
    const source = assignSource(entry, sources, report);
    return source === undefined ? [] : [{ entry, source }];
  });
  if (problems.length > 0) {
    throw new FileError(problems.slice(0, MAX_PROBLEMS), { paths, fingerprint });
  }
  return assigned;
}

const IN_SETTING =
  "has a key that is also in a setting, where it has no restrictions: remove it from the setting";

function checkFields(fields: AccessFileKey, report: Report): void {
  if (fields.kind === "server") {
    for (const name of ["allFlags", "explain", "contextFields", "signedContext"] as const) {
      if (fields[name] !== undefined) report(name, "is only for keys of the kind `client`");
    }
  }
  if (fields.expiresAt !== undefined && toTimeMs(fields.expiresAt) === undefined) {
    report("expiresAt", "is not a valid time: check the date");
  }
  if (fields.origins?.some((origin) => !isOrigin(origin)) === true) {
    report("origins", "contains an origin with an invalid port");
  }
}

function assignSource<S extends ScopedSource>(
  entry: AccessEntry,
  sources: readonly S[],
  report: Report,
): S | undefined {
  const { environment } = entry.fields;
  const named = entry.keyScope?.environment;
  if (environment !== undefined && named !== undefined && environment !== named) {
    report("environment", `is ${environment}, but the key names the environment ${named}`);
    return undefined;
  }
  const source = findSourceByScope(wantedScope(entry), sources);
  if (source === undefined) {
    report(
      environment === undefined ? undefined : "environment",
      explainUnserved(environment ?? named, sources),
    );
  }
  return source;
}

function explainUnserved(wanted: string | undefined, sources: readonly ScopedSource[]): string {
  const served = [...new Set(sources.map(({ scope }) => scope?.environment ?? "unknown"))];
  const names = served.join(", ");
  if (wanted === undefined) return `must have an \`environment\`, one of ${names}`;
  return served.includes(wanted)
    ? `is for ${wanted}, which has several upstream tokens: \`projects\` must name the project of one of them`
    : `is for ${wanted}, but the upstream tokens serve only ${names}`;
}

/** The scope that selects the source of a key; undefined if there is only one source to choose. */
function wantedScope({ fields, keyScope }: AccessEntry): TokenScope | undefined {
  const { environment = keyScope?.environment, projects } = fields;
  if (environment === undefined) return undefined;
  const [project = keyScope?.project ?? "*"] = projects?.length === 1 ? projects : [];
  return { environment, project };
}

function isOrigin(origin: string): boolean {
  return URL.canParse(origin.replace("*.", ""));
}

const DATE = /^(?<date>\d{4}-\d\d-\d\d)T/;

/** Undefined for a time that does not exist, such as February 30. */
function toTimeMs(text: string): number | undefined {
  const timeMs = Date.parse(text);
  const date = DATE.exec(text)?.groups?.["date"] ?? "";
  const dayMs = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(timeMs) || Number.isNaN(dayMs)) return undefined;
  return new Date(dayMs).toISOString().startsWith(date) ? timeMs : undefined;
}

/** @throws {FileError} with all problems */
export function createFileGrants(
  file: AccessFile,
  related: RelatedConfig<Source>,
  visibility: Visibility,
): readonly Grant[] {
  return assignSources(file, related).map(({ entry, source }): Grant => {
    const { kind = "client", projects, namePrefix = "" } = entry.fields;
    const flags = visibility.get(source, { projects, namePrefix });
    return { key: entry.digest, kind, flags, rules: createRules(entry) };
  });
}

function createRules({ fields, signing }: AccessEntry): KeyRules {
  const { name, origins, allFlags, explain, contextFields, rate, expiresAt } = fields;
  return {
    name,
    id: identify([
      origins?.toSorted(),
      allFlags,
      contextFields?.toSorted(),
      fields.projects?.toSorted(),
      fields.namePrefix,
      fields.environment,
      signing?.id,
    ]),
    allFlags,
    explain,
    expiresAtMs: expiresAt === undefined ? undefined : toTimeMs(expiresAt),
    allowsOrigin: origins && createOriginCheck(origins),
    contextFields: contextFields && new Set(contextFields),
    contextVerifier: signing?.verifier,
    rateLimit: rate && createBucket(rate),
  };
}

function createBucket({
  perSecond,
  burst = Math.max(1, Math.ceil(perSecond)),
}: NonNullable<AccessFileKey["rate"]>): TokenBucket {
  return new TokenBucket({ perSecond, burst }, performance.now());
}

function identify(values: readonly unknown[]): string {
  const text = JSON.stringify(values.map((value) => value ?? null));
  return createHash("sha256").update(text).digest("base64url").slice(0, 16);
}
