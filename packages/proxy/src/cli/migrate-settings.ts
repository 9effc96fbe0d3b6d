import { type Environment, nameSetting, resolveSettings, variablesOf } from "flags-server-kit";
import { PRODUCT_NAMES, type Product } from "../config/aliases/alias.ts";
import { describeIdle } from "../config/aliases/describe-translation.ts";
import { findWiderKeys } from "../config/aliases/find-wider-keys.ts";
import {
  type IdleSetting,
  type Translation,
  translateEnvironment,
} from "../config/aliases/translate-environment.ts";
import { SETTINGS } from "../config/settings.ts";

/** The settings of another product as a file for this one. */
export interface Migration {
  readonly text: string;
  /** Whether a proxy with these settings does all that the other product did. */
  readonly isComplete: boolean;
}

/** Translates settings. Returns undefined if the environment contains none of another product. */
export function migrateSettings(
  environment: Environment,
  product: Product | undefined,
): Migration | undefined {
  const translation = translateEnvironment(SETTINGS, environment, { product });
  if (
    translation.used.length + translation.idle.length === 0 &&
    translation.problems.length === 0
  ) {
    return undefined;
  }
  const { invalid, losses, unneeded } = findComments(translation);
  const names = translation.products.map((each) => PRODUCT_NAMES[each]).join(" and ");
  const text = [
    `# Settings of flags-proxy, from those of ${names}. Contains your tokens and keys.`,
    ...listAssignments(translation),
    ...toComments("Invalid", invalid),
    ...toComments("Lost", losses),
    ...toComments("Not needed", unneeded),
    "",
  ].join("\n");
  return { text, isComplete: invalid.length + losses.length === 0 };
}

const isLoss = ({ effect }: IdleSetting): boolean => effect === "lost" || effect === "refused";

function findComments(translation: Translation) {
  const { values, problems } = resolveSettings(SETTINGS, translation);
  const { used, idle } = translation;
  const refused = new Set(
    idle.filter(({ effect }) => effect === "refused").map(({ name }) => name),
  );
  return {
    invalid: [
      // A refused setting is a problem of a start, and listed as lost here.
      ...translation.problems.filter((problem) => !refused.has(problem.split(" ")[0] ?? "")),
      ...problems,
      ...findMissing(translation),
    ],
    losses: [
      ...idle.filter(isLoss).map(describeIdle),
      ...used.flatMap(({ name, loss }) => (loss === undefined ? [] : [`${name}: ${loss}`])),
      ...(translation.products.includes("edge") ? findWiderKeys(values) : []),
      ...translation.hints,
    ],
    unneeded: idle.filter((setting) => !isLoss(setting)).map(describeIdle),
  };
}

function findMissing({ environment }: Translation): readonly string[] {
  return [SETTINGS.flagsUrl, SETTINGS.flagsApiToken, SETTINGS.clientKeys]
    .filter((setting) => !variablesOf(setting).some((name) => (environment[name] ?? "") !== ""))
    .filter((setting) => setting !== SETTINGS.clientKeys || !hasOtherKeys(environment))
    .map((setting) => `${nameSetting(setting)} is required`);
}

function hasOtherKeys(environment: Environment): boolean {
  return [SETTINGS.proxySecrets, SETTINGS.accessFile, SETTINGS.upstreamKeys]
    .flatMap(variablesOf)
    .some((name) => (environment[name] ?? "") !== "");
}

/** Lists the settings in the order of the documentation, those of the replaced defaults last. */
function listAssignments({ environment, defaults }: Translation): readonly string[] {
  const names = Object.values(SETTINGS).flatMap((setting) => {
    const name = variablesOf(setting).find((each) => (environment[each] ?? "").trim() !== "");
    return name === undefined ? [] : [name];
  });
  const toLine = (name: string): string => `${name}=${quote((environment[name] ?? "").trim())}`;
  const isDefault = (name: string): boolean => Object.hasOwn(defaults, name);
  const followed = names.filter(isDefault);
  return [
    ...names.filter((name) => !isDefault(name)).map(toLine),
    ...(followed.length === 0 ? [] : [`# Defaults of ${PRODUCT_NAMES.edge}`]),
    ...followed.map(toLine),
  ];
}

/** NOTE: Docker does not remove quotes, so they are used only where a shell requires them. */
function quote(text: string): string {
  if (/^[\w@%+=:,./*[\]-]*$/.test(text)) return text;
  return text.includes("'") ? `"${text}"` : `'${text}'`;
}

function toComments(heading: string, sentences: readonly string[]): readonly string[] {
  if (sentences.length === 0) return [];
  return ["#", `# ${heading}:`, ...sentences.map((sentence) => `#   ${sentence}`)];
}
