// Finds out which parts of a flag hold. Each part becomes a flag of its own, a probe, in a document that the
// engine evaluates like any other. So the explanation does not contain a second implementation.

import { compileSnapshot, parseDocument } from "flags-engine";

/** Flag names have no spaces, so these do not collide with them. */
const nameOf = (...parts) => `probe ${parts.join(" ")}`;

const EVERYONE = { name: "default", parameters: {}, constraints: [] };

/** Compiles the flags of a document and the probes for their parts. */
export function compileProbes({ features = [], segments = [] }) {
  const bySegmentId = new Map(segments.map((segment) => [segment.id, segment]));
  const probes = features.flatMap((feature) => [
    ...dependencyProbes(feature),
    ...feature.strategies.flatMap((strategy, index) =>
      strategyProbes(feature.name, strategy, { index, bySegmentId }),
    ),
  ]);
  let drewRandom = false;
  const snapshot = compileSnapshot(
    parseDocument({ version: 2, features: [...features, ...probes], segments }),
    {
      now: Date.now,
      random: () => {
        drewRandom = true;
        return 0.5;
      },
    },
  );
  /** Evaluates a flag or probe. The outcome of `isRandom` differs from request to request. */
  const evaluate = (name, context) => {
    drewRandom = false;
    const index = snapshot.indexOf(name);
    const outcome = snapshot.flags[index]?.outcomes[snapshot.evaluate(index, context)];
    return { ...(outcome ?? { enabled: false }), isRandom: drewRandom };
  };
  return { features, bySegmentId, evaluate };
}

function dependencyProbes({ name, dependencies = [] }) {
  return dependencies.map((dependency, index) =>
    probe(dependencyProbe(name, index), [], [dependency]),
  );
}

function strategyProbes(flag, strategy, { index, bySegmentId }) {
  const { constraints = [], segments = [], ...activation } = strategy;
  const bare = { ...activation, constraints: [], variants: [] };
  return [
    probe(strategyProbe(flag, index), [{ ...strategy, variants: [] }]),
    probe(activationProbe(flag, index), [bare]),
    ...constraints.map((constraint, position) =>
      probe(constraintProbe(flag, index, position), [{ ...EVERYONE, constraints: [constraint] }]),
    ),
    ...segments.map((id) =>
      probe(segmentProbe(flag, index, id), [
        { ...EVERYONE, constraints: bySegmentId.get(id)?.constraints ?? [], segments: [id] },
      ]),
    ),
    ...bucketProbes(flag, index, bare),
  ];
}

/** The bucket of a user is the smallest percentage that includes the user. */
function bucketProbes(flag, index, strategy) {
  if (!isPartialRollout(strategy)) return [];
  return Array.from({ length: 100 }, (_, position) =>
    probe(bucketProbe(flag, index, position + 1), [
      { ...strategy, parameters: { ...strategy.parameters, rollout: String(position + 1) } },
    ]),
  );
}

export function isPartialRollout({ name, parameters = {} }) {
  const rollout = Number(parameters.rollout);
  return name === "flexibleRollout" && rollout > 0 && rollout < 100;
}

function probe(name, strategies, dependencies = []) {
  return { name, enabled: true, strategies, variants: [], dependencies };
}

export const dependencyProbe = (flag, index) => nameOf("parent", index, flag);
export const strategyProbe = (flag, index) => nameOf("strategy", index, flag);
export const activationProbe = (flag, index) => nameOf("activation", index, flag);
export const constraintProbe = (flag, index, position) =>
  nameOf("constraint", index, position, flag);
export const segmentProbe = (flag, index, id) => nameOf("segment", index, id, flag);
const bucketProbe = (flag, index, percentage) => nameOf("bucket", index, percentage, flag);

/** Returns the bucket of the context in a partial rollout, from 1 to 100. */
export function findBucket({ evaluate }, { flag, index, context }) {
  for (let bucket = 1; bucket <= 100; bucket += 1) {
    const { enabled, isRandom } = evaluate(bucketProbe(flag, index, bucket), context);
    if (isRandom) return undefined;
    if (enabled) return bucket;
  }
  return undefined;
}
