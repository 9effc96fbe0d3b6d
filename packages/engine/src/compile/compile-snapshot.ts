import type { Diagnostic, Report } from "../parse/diagnostic.ts";
import type { Feature, FeatureDocument } from "../parse/model.ts";
import { ContextFields } from "../evaluate/context-fields.ts";
import type { Snapshot } from "../snapshot.ts";
import { complete } from "../steps.ts";
import type { Steps } from "../steps.ts";
import type { CustomStrategy, ReportStrategyError } from "../strategies/custom.ts";
import { compileDependencies } from "./compile-dependencies.ts";
import type { FindParent, Parent } from "./compile-dependencies.ts";
import { compileFeature } from "./compile-flag.ts";
import { CompiledSnapshot } from "../evaluate/compiled-snapshot.ts";
import type { Flag } from "../evaluate/compiled-snapshot.ts";
import { FlagEvaluation, SimpleEvaluation } from "../evaluate/flag-evaluation.ts";
import { keepFormer } from "./reuse-unchanged-flags.ts";
import type { FeatureScope } from "./scope.ts";
import { toSimpleFlags } from "../evaluate/simple-flags.ts";

/** What a snapshot is compiled with besides the document. */
export interface CompileOptions {
  /** Names the content of the document. @default "" */
  readonly revision?: string;
  /** Looked up before the built-in ones; of two with one name the first counts. @default [] */
  readonly strategies?: readonly CustomStrategy[];
  /** The name of this host, for the strategy `applicationHostname`. @default "undefined" */
  readonly hostname?: string;
  /** The clock, in epoch milliseconds. */
  readonly now: () => number;
  /** A source of random numbers, uniform in [0, 1). */
  readonly random: () => number;
  /** A snapshot from before: flags that it has alike stay the same objects. @default none */
  readonly previous?: Snapshot | undefined;
  /** Told each time a custom strategy fails. @default nobody is told */
  readonly onStrategyError?: ReportStrategyError;
}

/** Compiles a document into an immutable snapshot. */
export function compileSnapshot(document: FeatureDocument, options: CompileOptions): Snapshot {
  return complete(compileInSteps(document, options));
}

/** Does what `compileSnapshot` does, with a pause after each flag and each part of the whole. */
export function* compileInSteps(
  document: FeatureDocument,
  options: CompileOptions,
): Steps<Snapshot> {
  const fields = new ContextFields();
  const diagnostics: Diagnostic[] = [...document.diagnostics];
  const scopeOf = scopeFactory(document, { fields, diagnostics, options });
  const flags = yield* compileFeatures(document, scopeOf, options.previous);
  return new CompiledSnapshot({
    revision: options.revision ?? "",
    flags,
    simple: yield* toSimpleFlags(flags),
    contextDependencies: fields.contextDependencies(),
    diagnostics: Object.freeze(diagnostics),
    runtime: { now: options.now, random: options.random },
  });
}

type ScopeOf = (feature: Feature) => FeatureScope;

function scopeFactory(
  document: FeatureDocument,
  shared: { fields: ContextFields; diagnostics: Diagnostic[]; options: CompileOptions },
): ScopeOf {
  const { fields, diagnostics, options } = shared;
  const customStrategies = new Map<string, CustomStrategy>();
  for (const strategy of options.strategies ?? []) {
    if (!customStrategies.has(strategy.name)) customStrategies.set(strategy.name, strategy);
  }
  return ({ name }) => {
    const report: Report = (message) =>
      diagnostics.push({ subject: `feature ${JSON.stringify(name)}`, message });
    return {
      feature: name,
      fields,
      segments: document.segments,
      hostname: (options.hostname ?? "undefined").toLowerCase(),
      customStrategies,
      reportStrategyError: options.onStrategyError ?? (() => undefined),
      report,
    };
  };
}

/** In the order of the document; parents are compiled first, since children fold their answers. */
function* compileFeatures(
  { features }: FeatureDocument,
  scopeOf: ScopeOf,
  previous: Snapshot | undefined,
): Steps<readonly Flag[]> {
  const names = new Set(features.map(({ name }) => name));
  const parents = new Map<string, Parent>();
  const findParent: FindParent = (name) =>
    parents.get(name) ?? (names.has(name) ? "has parents" : undefined);
  const flags: Flag[] = [];
  for (const [index, feature] of parentsFirst(features)) {
    const flag = compileFlag(index, feature, { findParent, scope: scopeOf(feature), previous });
    flags[index] = flag;
    if (!flag.hasParents) parents.set(feature.name, flag);
    yield;
  }
  return flags;
}

function* parentsFirst(features: readonly Feature[]): Generator<[number, Feature]> {
  for (const entry of features.entries()) if (!hasParents(entry[1])) yield entry;
  for (const entry of features.entries()) if (hasParents(entry[1])) yield entry;
}

function hasParents({ dependencies }: Feature): boolean {
  return dependencies.length > 0;
}

interface FlagSurroundings {
  readonly findParent: FindParent;
  readonly scope: FeatureScope;
  readonly previous: Snapshot | undefined;
}

function compileFlag(
  index: number,
  feature: Feature,
  { findParent, scope, previous }: FlagSurroundings,
): Flag {
  const parentsAllow = compileDependencies(feature, findParent, scope.report);
  const { compiled, decision, answer } = compileFeature(feature, parentsAllow, scope);
  const evaluable =
    typeof answer === "object"
      ? new SimpleEvaluation(index, answer)
      : new FlagEvaluation(index, decision);
  return { evaluable, compiled: keepFormer(compiled, previous), hasParents: hasParents(feature) };
}
