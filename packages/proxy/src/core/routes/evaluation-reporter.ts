import { createHmac } from "node:crypto";
import type { Context, Snapshot } from "flags-engine";
import type { FlagEvaluation, TracedRequest } from "flags-server-kit/telemetry";
import type { Source } from "../../sources/sources.ts";
import type { ProxyRequest } from "../http/request.ts";
import type { EvaluatedFlags, Selection } from "../response/evaluate-flags.ts";

interface RequestEvaluation {
  readonly source: Pick<Source, "name">;
  readonly snapshot: Snapshot;
  readonly selection: Selection;
  readonly outcomes: EvaluatedFlags["outcomes"];
  readonly context: Context;
}

type FindTrace = (request: ProxyRequest) => Pick<TracedRequest, "reportEvaluations"> | undefined;

/**
 * Reports the evaluations of flags with impression data to telemetry, for the requests that are traced.
 * A report contains nothing that the client has sent, except a hash of the user id if there is a key for it.
 */
export class EvaluationReporter {
  readonly #find: FindTrace;
  readonly #idKey: string | undefined;

  /** @param idKey the secret with which user ids are hashed; undefined: reports contain no id */
  constructor(find: FindTrace, idKey: string | undefined) {
    this.#find = find;
    this.#idKey = idKey;
  }

  isTraced(request: ProxyRequest): boolean {
    return this.#find(request) !== undefined;
  }

  report(request: ProxyRequest, evaluation: RequestEvaluation): void {
    const traced = this.#find(request);
    if (traced === undefined) return;
    const { source, snapshot, outcomes, context } = evaluation;
    const { single, toggles } = evaluation.selection;
    const selected = single === undefined ? toggles : [single];
    const names = selected && new Set(selected);
    const evaluations = snapshot.flags.flatMap((flag, position): FlagEvaluation[] => {
      const outcome = flag.outcomes[outcomes[position] ?? -1];
      const isReported = flag.impressionData && names?.has(flag.name) !== false;
      if (!isReported || outcome === undefined) return [];
      const { enabled, variant, reason } = outcome;
      const version = snapshot.revision;
      return [
        { key: flag.name, enabled, variant: variant?.name, reason, set: source.name, version },
      ];
    });
    traced.reportEvaluations(
      evaluations,
      evaluations.length > 0 ? this.#hashId(context) : undefined,
    );
  }

  /** Returns 128 bits of the hash, which do not collide in practice. */
  #hashId({ userId }: Context): string | undefined {
    if (this.#idKey === undefined || typeof userId !== "string" || userId === "") return undefined;
    return createHmac("sha256", this.#idKey).update(userId).digest("hex").slice(0, 32);
  }
}
