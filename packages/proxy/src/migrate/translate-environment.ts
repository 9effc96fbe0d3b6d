import {
  type Environment,
  rejectLateAt,
  type Setting,
  variablesOf,
} from "flags-server-kit/command-line";
import { SETTINGS } from "../config/settings.ts";
import type { TranslationReport } from "../config/translation-report.ts";
import {
  type Alias,
  type Conversion,
  InvalidAlias,
  PRODUCT_NAMES,
  type Product,
} from "./aliases/alias.ts";
import { EDGE_ALIASES, EDGE_DEFAULTS, TYPICAL_EDGE_NAMES } from "./aliases/edge-aliases.ts";
import { FORMER_NAMES, OLD_PROXY_ALIASES } from "./aliases/old-proxy-aliases.ts";
import { describeTranslation } from "./describe-translation.ts";
import type { ForeignSettings, IneffectiveSetting, UsedAlias } from "./describe-translation.ts";
import type { EdgeCommandLine } from "./edge-command-line.ts";

/** Our variables with which operators list the keys of clients. */
const CLIENT_KEYS = ["FLAGS_PROXY_CLIENT_KEYS", "FLAGS_PROXY_SECRETS", "FLAGS_ACCESS_FILE"];

/** The variable of Edge's offline mode, and those of that mode with tokens. */
const EDGE_FILE = "BOOTSTRAP_FILE";
const EDGE_FILE_TOKENS = ["TOKENS", "CLIENT_TOKENS", "FRONTEND_TOKENS"];

/** An environment with every setting under our name for it. */
export interface Translation extends TranslationReport, ForeignSettings {
  readonly given: Environment;
  readonly environment: Environment;
  /** The command line of Edge with which the process was started. @default it was started in another way */
  readonly edge?: EdgeCommandLine;
}

interface ProductChoice {
  /** Only the names of this product are read. @default the environment decides */
  readonly product?: Product | undefined;
  /** Whether the names of Edge are read in any case. @default false */
  readonly isEdge?: boolean;
  /** Whether the upstream URL is set by our own name. @default whether the environment sets it */
  readonly hasAddress?: boolean;
  /** The options of the old proxy in use, and what replaces each. @default none */
  readonly options?: ReadonlyMap<string, string>;
}

/**
 * Renames settings of the products that the proxy replaces to our names. Our own names take precedence. Without
 * any such setting, the environment stays the same.
 */
export function translateEnvironment(given: Environment, choice: ProductChoice = {}): Translation {
  const products = findProducts(given, choice);
  const isEdge = products.includes("edge");
  const translator = new Translator(given);
  if (products.includes("unleash-proxy")) translator.apply("unleash-proxy", OLD_PROXY_ALIASES);
  if (isEdge) {
    translator.apply("edge", EDGE_ALIASES);
    translator.addDefaults(EDGE_DEFAULTS);
    // NOTE: an operator who lists keys with our settings wants only these to be valid. Offline, there is no upstream.
    if (![...CLIENT_KEYS, EDGE_FILE].some((name) => isSet(given, name))) {
      translator.addDefaults({ FLAGS_UPSTREAM_KEYS: "true" });
    }
  }
  const { environment, used, ineffective, defaults, problems } = translator;
  const found = { products, used, ineffective, defaults };
  return {
    ...found,
    ...describeTranslation(found, choice.options),
    given,
    environment,
    origins: new Map([...translator.sources].map(([variable, { name }]) => [variable, name])),
    problems,
    formerNames: isEdge
      ? { ...FORMER_NAMES, otherVariables: EDGE_ALIASES.map(({ name }) => name) }
      : FORMER_NAMES,
    otherNames: isEdge ? EDGE_NAMES : new Map(),
    limitsKeysToProject: isEdge,
    hints: isEdge ? [] : findHints(given),
  };
}

const EDGE_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  EDGE_ALIASES.flatMap(({ to }) => to).map((variable) => [
    variable,
    EDGE_ALIASES.filter(({ to }) => to.includes(variable)).map(({ name }) => name),
  ]),
);

/**
 * NOTE: many names of Edge are common, such as `WORKERS` and `APP_NAME`. They are read only if the
 * environment is meant for Edge.
 */
function findProducts(
  environment: Environment,
  { product, isEdge = false, hasAddress = isSet(environment, "FLAGS_URL") }: ProductChoice,
): readonly Product[] {
  if (product !== undefined) return [product];
  const hasOldNames = OLD_PROXY_ALIASES.some(({ name }) => isSet(environment, name));
  const hasFile =
    isSet(environment, EDGE_FILE) && EDGE_FILE_TOKENS.some((name) => isSet(environment, name));
  const hasEdgeAddress = isSet(environment, "UPSTREAM_URL") || hasFile;
  return [
    ...(hasOldNames ? (["unleash-proxy"] as const) : []),
    ...(isEdge || (hasEdgeAddress && !hasAddress) ? (["edge"] as const) : []),
  ];
}

function findHints(environment: Environment): readonly string[] {
  return TYPICAL_EDGE_NAMES.filter((name) => isSet(environment, name)).map(
    (name) =>
      `${name} has no effect: settings of ${PRODUCT_NAMES.edge} are read only with the subcommands edge and offline, or if UPSTREAM_URL is set and FLAGS_URL is not`,
  );
}

function isSet(environment: Environment, name: string): boolean {
  return (environment[name] ?? "").trim() !== "";
}

interface Source {
  readonly product: Product;
  readonly name: string;
}

class Translator {
  readonly environment: Record<string, string | undefined>;
  readonly sources = new Map<string, Source>();
  readonly used: UsedAlias[] = [];
  readonly ineffective: IneffectiveSetting[] = [];
  readonly problems: string[] = [];
  readonly defaults: Record<string, string> = {};
  readonly #given: Environment;

  constructor(environment: Environment) {
    this.#given = environment;
    this.environment = { ...environment };
  }

  apply(product: Product, aliases: readonly Alias[]): void {
    for (const given of aliases) {
      const { name, toInstead } = given;
      const alias = toInstead?.isMet(this.#given) === true ? { ...given, to: toInstead.to } : given;
      const text = this.#given[name]?.trim() ?? "";
      if (text === "" || alias.to.includes(name)) continue;
      if (alias.isActive?.(text, this.#given) === false) {
        const reason = `${PRODUCT_NAMES[product]} does nothing with this value`;
        this.ineffective.push({ name, effect: "unneeded", reason });
      } else {
        this.#translate(alias, product, text);
      }
      // NOTE: the name may also be that of another setting here, such as PORT; those are skipped above.
      delete this.environment[name];
    }
  }

  addDefaults(defaults: Readonly<Record<string, string>>): void {
    for (const [variable, value] of Object.entries(defaults)) {
      if (this.#findSet(variable) !== undefined) continue;
      this.environment[variable] = value;
      this.defaults[variable] = value;
    }
  }

  #translate(alias: Alias, product: Product, text: string): void {
    const { name, to, conversion, missing } = alias;
    if (missing !== undefined) {
      this.ineffective.push({ name, ...missing });
      if (missing.effect === "refused") {
        this.problems.push(`${name} has no effect here: ${missing.reason}`);
      }
      return;
    }
    try {
      const value = convert(text, conversion, this.#given);
      for (const variable of to) this.#set(alias, { product, name }, { variable, value });
    } catch (error) {
      if (!(error instanceof InvalidAlias)) throw error;
      const { message } = error;
      this.problems.push(`${name}${message.startsWith(":") ? "" : " "}${message}`);
    }
  }

  #set(
    alias: Alias,
    { product, name }: Source,
    { variable, value }: { readonly variable: string; readonly value: string },
  ): void {
    const source = this.sources.get(variable);
    const current = this.#findSet(variable);
    const isReplaced = source === undefined && alias.replaces === variable && current === variable;
    if (current === undefined || isReplaced) {
      this.environment[variable] = value;
    } else if (source?.product === product && alias.isList === true) {
      this.environment[variable] = `${this.environment[variable]},${value}`;
    } else if (source === undefined || this.environment[variable] !== value) {
      this.#addConflict({ product, name }, { variable, current, source });
      return;
    }
    const names = source === undefined ? name : `${source.name} and ${name}`;
    this.sources.set(variable, { product, name: names });
    const loss = alias.hasLoss?.(this.#given) === false ? undefined : alias.loss;
    this.used.push({ name, to: variable, conversion: alias.conversion?.description, loss });
  }

  #addConflict(
    { product, name }: Source,
    {
      variable,
      current,
      source,
    }: { variable: string; current: string; source: Source | undefined },
  ): void {
    if (source === undefined || source.product === product) {
      const reason = `${source?.name ?? current} takes precedence`;
      this.ineffective.push({ name, effect: "overridden", reason });
    } else {
      this.problems.push(
        `${source.name} and ${name} both set ${variable}, to different values: remove one of them`,
      );
    }
  }

  /** Returns the name under which our setting is set, if it is. */
  #findSet(variable: string): string | undefined {
    return variablesLike(variable).find((name) => isSet(this.environment, name));
  }
}

/** NOTE: a conversion may keep only parts of an address, so it is checked before. */
function convert(
  text: string,
  conversion: Conversion | undefined,
  environment: Environment,
): string {
  for (const address of text.split(",")) {
    const rejected = rejectLateAt(address.trim());
    if (rejected !== undefined) throw new InvalidAlias(`cannot be used: ${rejected.detail}`);
  }
  return conversion?.convert(text, environment) ?? text;
}

function variablesLike(variable: string): readonly string[] {
  const settings: readonly Setting<unknown>[] = Object.values(SETTINGS);
  const setting = settings.find(({ variables }) => variables.includes(variable));
  return setting === undefined ? [] : variablesOf(setting);
}
