import { collectSimpleFlags, createSnapshot } from "../evaluate/compiled-snapshot.ts";
import type { Patterns } from "../constraints/operator.ts";
import { ContextFields } from "../evaluate/context-fields.ts";
import { createReport } from "../parse/diagnostics.ts";
import type { Diagnostic } from "../parse/diagnostics.ts";
import type { Feature, FeatureDocument } from "../parse/model.ts";
import type { CompilationInputs, CompiledFlag, Snapshot, SnapshotFlag } from "../snapshot.ts";
import { runToEnd } from "../steps.ts";
import type { Steps } from "../steps.ts";
import type { CustomStrategy, ReportStrategyError } from "../strategies/custom.ts";
import { compileDependencies } from "./compile-dependencies.ts";
import type { FindParent } from "./compile-dependencies.ts";
import { compileFlag } from "./compile-flag.ts";
import type { FlagScope } from "./compile-flag.ts";

export interface CompileOptions {
  /** Identifies the content of the document. @default "" */
  readonly revision?: string;
  /**
   * Custom strategies. They take precedence over built-in ones of the same name. If two have the
   * same name, the first is used. @default []
   */
  readonly strategies?: readonly CustomStrategy[];
  /** The name of this host, for the strategy `applicationHostname`. @default "undefined" */
  readonly hostname?: string;
  /** The clock, in epoch milliseconds. */
  readonly now: () => number;
  /** A source of random numbers, uniform in [0, 1). */
  readonly random: () => number;
  /** The previous snapshot, whose unchanged flags keep their objects. @default undefined */
  readonly previous?: Snapshot | undefined;
  /** Called each time a custom strategy fails. @default ignores the failure */
  readonly onStrategyError?: ReportStrategyError;
}

/** Compiles a document to an immutable snapshot. */
export function compileSnapshot(document: FeatureDocument, options: CompileOptions): Snapshot {
  return runToEnd(compileInSteps(document, options));
}

/** Like `compileSnapshot`, with a pause after each flag and between the parts of the snapshot. */
export function* compileInSteps(
  document: FeatureDocument,
  options: CompileOptions,
): Steps<Snapshot> {
  const { revision = "", previous } = options;
  const fields = new ContextFields();
  const diagnostics: Diagnostic[] = [...document.diagnostics];
  const inputs = toInputs(document, options);
  const patterns: Patterns = new Map();
  const shared = { ...inputs, fields, patterns, compiledSegments: new Map() };
  const scopeOf = ({ name }: Feature): FlagScope => ({
    ...shared,
    report: createReport(diagnostics, `flag ${JSON.stringify(name)}`),
  });
  const flags = yield* compileFlags(document, scopeOf, previous);
  return createSnapshot({
    revision,
    simpleFlags: yield* collectSimpleFlags(flags),
    fields,
    diagnostics: Object.freeze(diagnostics),
    origin: { ...inputs, flags },
  });
}

function toInputs(document: FeatureDocument, options: CompileOptions): CompilationInputs {
  // Of several with the same name, the first is used.
  const strategies = (options.strategies ?? []).toReversed();
  return {
    document,
    hostname: (options.hostname ?? "undefined").toLowerCase(),
    customStrategies: new Map(strategies.map((strategy) => [strategy.name, strategy])),
    reportStrategyError: options.onStrategyError ?? (() => undefined),
    now: options.now,
    random: options.random,
  };
}

/** Compiles parents first, because children use their outcomes. Returns the order of the document. */
function* compileFlags(
  { features }: FeatureDocument,
  scopeOf: (feature: Feature) => FlagScope,
  previous: Snapshot | undefined,
): Steps<readonly SnapshotFlag[]> {
  const names = new Set(features.map(({ name }) => name));
  const withoutParents = new Map<string, SnapshotFlag>();
  const findParent: FindParent = (name) =>
    withoutParents.get(name) ?? (names.has(name) ? "has parents" : undefined);
  const flags: SnapshotFlag[] = [];
  for (const [index, feature] of parentsFirst(features)) {
    const scope = scopeOf(feature);
    const parentsSatisfied = compileDependencies(feature, findParent, scope.report);
    const { compiled, selector } = compileFlag(feature, parentsSatisfied, scope);
    const flag = {
      compiled: reuseUnchangedFlag(compiled, previous),
      index,
      selector,
      hasParents: hasParents(feature),
    };
    flags[index] = flag;
    if (!flag.hasParents) withoutParents.set(feature.name, flag);
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

/**
 * Returns the object of the previous snapshot if the flag is unchanged, so that caches keyed by the
 * object stay valid. Otherwise returns the given object.
 */
function reuseUnchangedFlag(compiled: CompiledFlag, previous?: Snapshot): CompiledFlag {
  const candidate = previous?.flags[previous.indexOf(compiled.name)];
  const isUnchanged = candidate && JSON.stringify(candidate) === JSON.stringify(compiled);
  return isUnchanged ? candidate : compiled;
}
