import { isDeepStrictEqual } from "node:util";
import {
  type Environment,
  InvalidValue,
  type Setting,
  variablesOf,
} from "flags-server-kit/command-line";
import { findUnknownVariables, resolveSettings } from "flags-server-kit";
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
}

const DEFAULT_ACCESS_PATH = "access.yaml";

/** Translates settings. Returns undefined if the environment contains none of another product. */
export function migrateSettings(
  given: Translation,
  { product, accessPath }: MigrationOptions,
): Migration | undefined {
  const path = accessPath ?? DEFAULT_ACCESS_PATH;
  const { translation, keys } = translateWithAccess(given, product, path);
  if (
    translation.used.length + translation.ineffective.length === 0 &&
    translation.problems.length === 0
  ) {
    return undefined;
  }
  const { invalid, losses, unneeded } = findComments(translation);
  const accessFile = keys.length === 0 ? undefined : toAccessFile(keys);
  const names = translation.products.map((each) => PRODUCT_NAMES[each]).join(" and ");
  const text = [
    `# Settings of flags-proxy, from those of ${names}. Contains your tokens and keys.`,
    ...listAssignments(translation),
    ...toComments("Invalid", invalid),
    ...toComments("Lost", losses),
    ...toComments("Not needed", unneeded),
    ...(accessFile === undefined || accessPath !== undefined
      ? []
      : toComments(`Save as ${path}, or use --access-file`, accessFile.trimEnd().split("\n"))),
    "",
  ].join("\n");
  return { text, isComplete: invalid.length + losses.length === 0, accessFile };
}

export function describeUnread({ given, hints }: Translation): readonly string[] {
  const names = {
    ...PROGRAM,
    ...FORMER_NAMES,
    otherVariables: EDGE_ALIASES.map(({ name }) => name),
  };
  return [...hints, ...findUnknownVariables(names, given).map(({ hint }) => hint)];
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

function findComments(translation: Translation) {
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
      ...findUnknown(translation),
    ],
    unneeded: [
      ...ineffective.filter((setting) => !isLoss(setting)).map(describeIneffective),
      ...applyRules(listIgnored(resolution), resolution),
    ],
  };
}

/** Names, probably misspelt, that neither the proxy nor the replaced product reads. */
function findUnknown({ environment, formerNames, products }: Translation): readonly string[] {
  // With --from edge, the names of the other product are left out on purpose.
  const isIgnored = (name: string): boolean =>
    !products.includes("unleash-proxy") && OLD_PROXY_ALIASES.some((alias) => alias.name === name);
  return findUnknownVariables({ ...PROGRAM, ...formerNames }, environment)
    .filter(({ name }) => !isIgnored(name))
    .map(({ hint }) => hint);
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
