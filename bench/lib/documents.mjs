// Generated flag documents and users, identical on every machine and in every run.

const REGION_COUNT = 10;

/** The kinds of ten consecutive flags of a mixed document. */
const CYCLE = [
  "plain",
  "off",
  "half rollout",
  "plain",
  "id list",
  "segment",
  "off",
  "half rollout",
  "plain",
  "variants",
];

const CREATE = {
  plain: (name) => flag(name, { strategies: [{ name: "default", parameters: {} }] }),
  off: (name) => flag(name, { enabled: false, strategies: [halfRollout(name)] }),
  "half rollout": (name) => flag(name, { strategies: [halfRollout(name)] }),
  "id list": (name, index) => flag(name, { strategies: [idList(index)] }),
  segment: (name, index) => flag(name, { strategies: [bySegment(name, index)] }),
  variants: (name) => flag(name, { strategies: [withVariants(name)] }),
};

export const KINDS = Object.keys(CREATE);

/** 30 % plain, 20 % off, 20 % half rollouts, 10 % id lists, 10 % segment and property, 10 % variants. */
export const MIXED = "mixed";

/** Creates a document whose flags are of one kind, or mixed. */
export function createDocument(flagCount, kind = MIXED) {
  const features = Array.from({ length: flagCount }, (_, index) => {
    const flagKind = kind === MIXED ? CYCLE[index % CYCLE.length] : kind;
    return CREATE[flagKind](`bench.${flagKind.replace(" ", "-")}.${index}`, index);
  });
  return { version: 2, features, segments: createSegments() };
}

/** The context of a user; each index is another user. */
export function createContext(index) {
  return {
    userId: `user-${index}`,
    sessionId: `session-${index}`,
    remoteAddress: `10.0.${(index >> 8) & 255}.${index & 255}`,
    properties: {
      region: `r${index % REGION_COUNT}`,
      plan: index % 3 === 0 ? "pro" : "free",
      version: `1.${index % 20}.0`,
    },
  };
}

function flag(name, properties) {
  return {
    name,
    type: "release",
    project: "default",
    enabled: true,
    stale: false,
    impressionData: false,
    variants: [],
    dependencies: [],
    ...properties,
  };
}

function halfRollout(groupId) {
  return {
    name: "flexibleRollout",
    parameters: { groupId, rollout: "50", stickiness: "default" },
    constraints: [],
  };
}

function idList(index) {
  const ids = Array.from({ length: 20 }, (_, position) => `user-${(index + position * 7) % 500}`);
  return { name: "userWithId", parameters: { userIds: ids.join(",") }, constraints: [] };
}

function bySegment(groupId, index) {
  return {
    name: "flexibleRollout",
    parameters: { groupId, rollout: "100", stickiness: "default" },
    segments: [1 + (index % 2)],
    constraints: [{ contextName: "plan", operator: "IN", values: ["free", "trial"] }],
  };
}

function createSegments() {
  return [0, 1].map((offset) => ({
    id: 1 + offset,
    name: `segment ${offset}`,
    constraints: [{ contextName: "region", operator: "IN", values: everySecondRegion(offset) }],
  }));
}

function everySecondRegion(offset) {
  return Array.from({ length: REGION_COUNT / 2 }, (_, position) => `r${position * 2 + offset}`);
}

function withVariants(groupId) {
  return {
    name: "flexibleRollout",
    parameters: { groupId, rollout: "100", stickiness: "default" },
    constraints: [],
    variants: [variant("control", 500), variant("blue", 300), variant("green", 200)],
  };
}

function variant(name, weight) {
  return {
    name,
    weight,
    stickiness: "default",
    payload: { type: "string", value: `payload of ${name}` },
  };
}
