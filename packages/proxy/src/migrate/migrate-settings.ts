import { isDeepStrictEqual } from "node:util";
import {
  type Environment,
  InvalidValue,
  type Setting,
  variablesOf,
} from "flags-server-kit/command-line";
import { findUnknownVariables, resolveSettings, type UnknownVariable } from "flags-server-kit";
import type { AccessFileKey } from "../access-file/access-schema.ts";
import { PRODUCT_NAMES, type Product } from "./aliases/alias.ts";
import { describeIneffective, type IneffectiveSetting } from "./describe-translation.ts";
import { findBroaderKeys, findUnlimitedKeys } from "../config/project-keys.ts";
import { type Translation, translateEnvironment } from "./translate-environment.ts";
import { EDGE_ALIASES } from "./aliases/edge-aliases.ts";
import { FORMER_NAMES, OLD_PROXY_ALIASES } from "./aliases/old-proxy-aliases.ts";
import { PROGRAM } from "../config/program.ts";
import { findSplitEnvironments } from "../config/check-keys.ts";
import { applyRules, listIgnored } from "../config/check-rules.ts";
import { checkSettings } from "../config/check-settings.ts";
import { SETTINGS } from "../config/settings.ts";
import { moveEnvironmentKeys, moveProjectKeys, toAccessFile } from "./migrate-access.ts";

interface Migration {
  readonly text: string;
  /** Whether a proxy with these settings does everything that the other product did. */
  readonly isComplete: boolean;
  /** The text of the access file that the settings name. @default none is needed */
  readonly accessFile: string | undefined;
}

interface MigrationOptions {
  /** @default the names that are set decide */
  readonly product: Product | undefined;
  /** The path of the access file. @default `access.yaml`, and the text contains its content */
  readonly accessPath: string | undefined;
  /** Names in env files. They are meant for the product, so all that nothing reads are listed. */
  readonly fileVariables: readonly string[];
}

const DEFAULT_ACCESS_PATH = "access.yaml";

/** Translates settings. Returns undefined if the environment contains none of another product. */
export function migrateSettings(
  given: Translation,
  { product, accessPath, fileVariables }: MigrationOptions,
): Migration | undefined {
  const path = accessPath ?? DEFAULT_ACCESS_PATH;
  const { translation, keys } = translateWithAccess(given, product, path);
  if (
    translation.used.length + translation.ineffective.length === 0 &&
    translation.problems.length === 0
  ) {
    return undefined;
  }
  const unknown = findUnknown(translation);
  const { invalid, losses, unneeded } = findComments(translation, unknown);
  const notUnderstood = findNotUnderstood(translation, fileVariables, unknown);
  const accessFile = keys.length === 0 ? undefined : toAccessFile(keys);
  const names = translation.products.map((each) => PRODUCT_NAMES[each]).join(" and ");
  const text = [
    `# Settings of flags-proxy, from those of ${names}. Contains your tokens and keys.`,
    ...listAssignments(translation),
    ...toComments("Invalid", invalid),
    ...toComments("Lost", losses),
    ...toComments("Not needed", unneeded),
    ...toComments("Not understood, ignored", notUnderstood),
    ...(accessFile === undefined || accessPath !== undefined
      ? []
      : toComments(`Save as ${path}, or use --access-file`, accessFile.trimEnd().split("\n"))),
    "",
  ].join("\n");
  const isComplete = invalid.length + losses.length + notUnderstood.length === 0;
  return { text, isComplete, accessFile };
}

/** Describes the names that nothing reads, if there are no settings to migrate. */
export function describeUnread(
  translation: Translation,
  fileVariables: readonly string[],
): readonly string[] {
  const edgeNames = EDGE_ALIASES.map(({ name }) => name);
  const { given, hints } = translation;
  const unknown = findUnknownVariables(
    { ...PROGRAM, ...FORMER_NAMES, otherVariables: edgeNames },
    given,
  );
  const others = fileVariables.filter((name) => !edgeNames.includes(name));
  const notUnderstood = findNotUnderstood(translation, others, unknown);
  return [
    ...hints,
    ...unknown.map(({ hint }) => hint),
    ...notUnderstood.map((name) => `${name} is not understood`),
  ];
}

/** Translates settings, and moves the keys that need an access file, unless there is one already. */
function translateWithAccess(
  { given: environment, edge }: Translation,
  product: Product | undefined,
  path: string,
): { readonly translation: Translation; readonly keys: readonly AccessFileKey[] } {
  const isEdge = edge !== undefined;
  const translate = (given: Environment): Translation =>
    translateEnvironment(given, { product, isEdge });
  const translation = translate(environment);
  const hasFile = (translation.environment["FLAGS_ACCESS_FILE"] ?? "") !== "";
  if (!translation.products.includes("edge") || hasFile) return { translation, keys: [] };
  const ofEnvironments = moveEnvironmentKeys(environment);
  // NOTE: without the access file, because the upstream verifies tokens only if no file of the operator lists keys.
  const reduced = translate(ofEnvironments.environment);
  const ofProjects = moveProjectKeys(reduced);
  const keys = [...ofEnvironments.keys, ...ofProjects.keys];
  const withFile = { ...ofProjects.environment, FLAGS_ACCESS_FILE: path };
  return { translation: keys.length === 0 ? reduced : { ...reduced, environment: withFile }, keys };
}

const isLoss = ({ effect }: IneffectiveSetting): boolean =>
  effect === "lost" || effect === "refused";

function findComments(translation: Translation, unknown: readonly UnknownVariable[]) {
  const resolution = resolveSettings(SETTINGS, translation);
  const { values, problems } = resolution;
  const { used, ineffective } = translation;
  const refused = new Set(
    ineffective.filter(({ effect }) => effect === "refused").map(({ name }) => name),
  );
  return {
    invalid: [
      // A refused setting prevents the start of the proxy. Here, it is listed as lost.
      ...translation.problems.filter((problem) => !refused.has(problem.split(" ")[0] ?? "")),
      ...problems,
      ...checkSettings(resolution, undefined, { otherNames: translation.otherNames }).problems,
    ],
    losses: [
      ...ineffective.filter(isLoss).map(describeIneffective),
      ...used.flatMap(({ name, loss }) => (loss === undefined ? [] : [`${name}: ${loss}`])),
      ...(translation.products.includes("edge")
        ? [...findUnlimitedKeys(values), ...findBroaderKeys(values)]
        : []),
      ...findSplitEnvironments(resolution),
      ...translation.hints,
      ...unknown.map(({ hint }) => hint),
    ],
    unneeded: [
      ...ineffective.filter((setting) => !isLoss(setting)).map(describeIneffective),
      ...applyRules(listIgnored(resolution), resolution),
    ],
  };
}

/**
 * Names that programs of all kinds find in their environment: those of shells and containers, of the runtimes of the
 * products, and of libraries. They may be in a file that was written with `env`.
 */
const ORDINARY_NAME =
  /^(?:_|PATH|HOME|USER|LOGNAME|SHELL|SHLVL|PWD|OLDPWD|HOSTNAME|TERM|COLORTERM|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|TZ|TMPDIR|TEMP|TMP|RUST_BACKTRACE|YARN_VERSION|(?:https?|all|no)_proxy)$|^(?:LC|NODE|npm|NPM|XDG|SSL_CERT|AWS|OTEL|KUBERNETES)_|_SERVICE_(?:HOST|PORT)|_PORT_\d+_(?:TCP|UDP)/;

/** Names in env files that no comment mentions and that neither the proxy nor the replaced product reads. */
function findNotUnderstood(
  { environment, products, hints }: Translation,
  fileVariables: readonly string[],
  unknown: readonly UnknownVariable[],
): readonly string[] {
  const known = new Set([
    ...Object.values(SETTINGS).flatMap(variablesOf),
    ...unknown.map(({ name }) => name),
    ...hints.map((hint) => hint.split(" ")[0]),
  ]);
  return fileVariables
    .filter(
      (name) =>
        (environment[name] ?? "").trim() !== "" &&
        !known.has(name) &&
        !ORDINARY_NAME.test(name) &&
        !isOfOtherProduct(name, products),
    )
    .toSorted();
}

/** NOTE: with `--from edge`, the names of the other product are left out on purpose. */
function isOfOtherProduct(name: string, products: Translation["products"]): boolean {
  return (
    !products.includes("unleash-proxy") && OLD_PROXY_ALIASES.some((alias) => alias.name === name)
  );
}

/** Names, probably misspelt, that neither the proxy nor the replaced product reads. */
function findUnknown({
  environment,
  formerNames,
  products,
}: Translation): readonly UnknownVariable[] {
  return findUnknownVariables({ ...PROGRAM, ...formerNames }, environment).filter(
    ({ name }) => !isOfOtherProduct(name, products),
  );
}

/** Lists the settings in the order of the documentation, those of the replaced defaults last. */
function listAssignments({ environment, defaults }: Translation): readonly string[] {
  const findName = (setting: Setting<unknown>): string | undefined =>
    variablesOf(setting).find((each) => (environment[each] ?? "").trim() !== "");
  const hasClientKeys = findName(SETTINGS.clientKeys) !== undefined;
  const given = Object.values(SETTINGS).flatMap((setting: Setting<unknown>) => {
    const name = findName(setting);
    if (name === undefined || (setting === SETTINGS.proxySecrets && hasClientKeys)) return [];
    const text = (environment[name] ?? "").trim();
    return [
      {
        // The other name is deprecated.
        name: name.replace("FLAGS_PROXY_SECRETS", "FLAGS_PROXY_CLIENT_KEYS"),
        text: setting.variables.includes(name) ? removeSpaces(text, setting) : text,
      },
    ];
  });
  const isDefault = ({ name }: { readonly name: string }): boolean => Object.hasOwn(defaults, name);
  const followed = given.filter(isDefault);
  return [
    ...given.filter((each) => !isDefault(each)).flatMap(toLines),
    ...(followed.length === 0 ? [] : [`# Defaults of ${PRODUCT_NAMES.edge}`]),
    ...followed.flatMap(toLines),
  ];
}

/** Removes the spaces and line breaks between the entries of a list, if the value stays the same. */
function removeSpaces(text: string, { kind }: Setting<unknown>): string {
  const shorter = text.replaceAll(/\s*[\r\n]\s*/g, ",").replaceAll(/\s*([,:])\s*/g, "$1");
  const value = kind.parse(text);
  const isSame = !(value instanceof InvalidValue) && isDeepStrictEqual(kind.parse(shorter), value);
  return isSame ? shorter : text;
}

/** NOTE: Docker does not remove quotes, so they are used only where a shell requires them. */
function toLines({ name, text }: { readonly name: string; readonly text: string }) {
  if (/^[\w@%+=:,./*[\]-]*$/.test(text)) return [`${name}=${text}`];
  const quoted = text.includes("'") ? `"${text}"` : `'${text}'`;
  return [
    "# Without the quotes in env files of Docker and Kubernetes, which keep them:",
    `${name}=${quoted}`,
  ];
}

function toComments(heading: string, sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return [];
  return ["#", `# ${heading}:`, ...sentences.map((sentence) => `#   ${sentence}`)];
}
