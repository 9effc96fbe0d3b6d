import { type Context, readsSessionId, toReportedName } from "flags-engine";
import {
  EvaluationCounts,
  type FlagUse,
  PageFlags,
  toClientContext,
  withSessionId,
} from "flags-sdk/neutral";
import type { ClientConfig } from "../../config/config.ts";
import type { AccessControl } from "../access/access-control.ts";
import { acceptTrusted, allowsAll, type Grant, quotaIdOf, signsField } from "../access/grant.ts";
import { completeContext } from "../context/request-context.ts";
import { readContext, type SentContext } from "../context/sent-context.ts";
import { HttpError } from "../http/errors.ts";
import { acceptUsage, type UsageRules } from "../usage/accept-usage.ts";

export interface EvaluateOptions {
  /** The client key that the page uses: its rules apply. @default the only client key */
  readonly key?: string | undefined;
}

/**
 * Evaluates the flags of a client key for a page that the program renders, as a request with this key and context would.
 * Only flags that are read with the methods of the result count as evaluations. Enrichers do not run.
 *
 * @throws {TypeError} if the key is not accepted, or the context is invalid
 * @throws {Error} if there are no flags yet
 */
export type EvaluatePage = (context?: Context, options?: EvaluateOptions) => PageFlags;

export interface PageRules {
  readonly config: Pick<
    ClientConfig,
    "appName" | "enableAllEndpoint" | "environment" | "ofrepValues"
  >;
  readonly access: AccessControl;
  readonly usageRules: UsageRules;
  readonly onUsage?: () => void;
}

export function createEvaluatePage(rules: PageRules): EvaluatePage {
  const { config, access } = rules;
  return (given = {}, { key } = {}) => {
    const grant = getGrant(access, key);
    const { snapshot } = grant.flags;
    if (snapshot === undefined) throw new Error(NO_FLAGS_YET);
    const { contextDependencies } = snapshot;
    const sent = toClientContext(given);
    // A client could not send an id that must be signed.
    const clientContext = signsField(grant, "sessionId")
      ? sent
      : withSessionId(sent, contextDependencies);
    const accepted = acceptTrusted(grant, readContext({ ...clientContext }));
    const context = complete(accepted, config, readsSessionId(contextDependencies));
    return new PageFlags({
      snapshot,
      context,
      clientContext,
      ofrepValues: config.ofrepValues,
      ofrepListsAll: allowsAll(grant, config.enableAllEndpoint),
      onUse: collectUsage(grant, String(context.appName), rules),
    });
  };
}

const NO_FLAGS_YET = "There are no flags yet: await `app.flagsReady()` before `app.evaluate()`";

function getGrant({ keys, upstream }: AccessControl, key: string | undefined): Grant {
  if (key !== undefined) {
    const grant = keys.find(key, ["client"]);
    if (grant !== undefined) return grant;
    throw new TypeError(
      "`key` is not a client key that is accepted now: pass one of `clientKeys` or of the access file that has not " +
        "expired. A key that the upstream verifies is accepted after a request with it",
    );
  }
  const grant = upstream === undefined ? keys.findOnlyClient() : undefined;
  if (grant !== undefined) return grant;
  throw new TypeError(
    "`key` is missing: pass `{ key }`, the client key that the page uses. Only a single client key is the default",
  );
}

function complete(
  sent: SentContext,
  config: PageRules["config"],
  needsSessionId: boolean,
): Context {
  const { appName, environment } = config;
  const sessionId = needsSessionId ? crypto.randomUUID() : undefined;
  try {
    return completeContext(sent, { appName, environment }, { remoteAddress: undefined, sessionId });
  } catch (error) {
    const [problem] = error instanceof HttpError ? error.problems : [];
    if (problem === undefined) throw error;
    throw new TypeError(`\`context.${problem.path}\` ${problem.message}`, { cause: error });
  }
}

/** Returns a function that counts what a page reads. What it reads in one turn of the event loop is one report. */
function collectUsage(
  grant: Grant,
  appName: string,
  { usageRules, onUsage }: PageRules,
): (use: FlagUse) => void {
  const counts = new EvaluationCounts();
  const report = (): void => {
    const { startMs, flags } = counts.read();
    counts.remove(flags);
    const usage = {
      appName: toReportedName(appName),
      startMs,
      features: Object.fromEntries(flags),
      quotaId: quotaIdOf(grant),
    };
    // Beyond a limit it is dropped, and a metric counts that.
    acceptUsage(grant.flags, [usage], usageRules).then(onUsage, () => undefined);
  };
  return ({ name, featureEnabled, variant }) => {
    if (counts.isEmpty) queueMicrotask(report);
    counts.count(name, featureEnabled, variant?.name);
  };
}
