interface FlagOptions {
  readonly enabled?: boolean;
  readonly strategies?: readonly unknown[];
  readonly variants?: readonly unknown[];
  readonly [field: string]: unknown;
}

const EVERYBODY = { name: "default", parameters: {}, constraints: [] };

/** Returns a flag of a document; enabled for everyone by default. */
export function flag(name: string, options: FlagOptions = {}) {
  return {
    name,
    type: "release",
    project: "default",
    stale: false,
    impressionData: false,
    enabled: true,
    strategies: [EVERYBODY],
    variants: [],
    ...options,
  };
}

export function withConstraint(contextName: string, values: readonly string[]) {
  return { ...EVERYBODY, constraints: [{ contextName, operator: "IN", values }] };
}

/** A rollout to half of the sessions. */
export const HALF_OF_SESSIONS = {
  name: "flexibleRollout",
  parameters: { rollout: "50", stickiness: "sessionId", groupId: "half" },
  constraints: [],
};

/** Contains one flag for each form that a flag can have in a response. */
export const SAMPLE = {
  version: 2,
  features: [
    flag("on"),
    flag("off", { enabled: false }),
    flag("impressions", { impressionData: true }),
    flag("for-user-7", { strategies: [withConstraint("userId", ["7"])] }),
    flag("for-plan-gold", { strategies: [withConstraint("plan", ["gold"])] }),
    flag("with-variant", {
      variants: [
        {
          name: "blue",
          weight: 1000,
          stickiness: "default",
          payload: { type: "json", value: '{"a":"é\\n"}' },
        },
      ],
    }),
    flag("variant-named-disabled", {
      variants: [{ name: "disabled", weight: 1000, stickiness: "default" }],
    }),
  ],
  segments: [],
};
