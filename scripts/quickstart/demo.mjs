// The demo data that the first start creates. The page shows the descriptions.

export const CONTEXT_FIELDS = [
  {
    name: "plan",
    description: "The plan of the customer",
    legalValues: [{ value: "free" }, { value: "pro" }, { value: "enterprise" }],
  },
  { name: "country", description: "Two-letter code, for example NO" },
  { name: "teamId", description: "The team that the user works in", stickiness: true },
];

export const SEGMENT = {
  name: "nordic-customers",
  description: "Customers in the Nordic countries",
  constraints: [{ contextName: "country", operator: "IN", values: ["DK", "FI", "IS", "NO", "SE"] }],
};

const EVERYONE = { name: "flexibleRollout", parameters: { rollout: "100" } };

export const FLAGS = [
  {
    name: "new-header",
    type: "release",
    description: "Released to everyone.",
    enabled: true,
    strategy: EVERYONE,
  },
  {
    name: "old-checkout",
    type: "kill-switch",
    description: "Off at first, so clients do not even see its name. Turn it on.",
    enabled: false,
    strategy: EVERYONE,
  },
  {
    name: "faster-search",
    type: "release",
    description:
      "On for half of the users. A user always gets the same result; without a user id, a session does.",
    enabled: true,
    strategy: { name: "flexibleRollout", parameters: { rollout: "50", stickiness: "default" } },
  },
  {
    name: "export-to-pdf",
    type: "permission",
    description: "For customers with the plan pro or enterprise.",
    enabled: true,
    strategy: {
      ...EVERYONE,
      constraints: [{ contextName: "plan", operator: "IN", values: ["pro", "enterprise"] }],
    },
  },
  {
    name: "local-payments",
    type: "release",
    description: "The segment nordic-customers: country is DK, FI, IS, NO or SE.",
    enabled: true,
    strategy: EVERYONE,
    segment: SEGMENT.name,
  },
  {
    name: "button-colour",
    type: "experiment",
    description:
      "Everyone gets one of two variants, with a payload. A user, or else a session, keeps its variant.",
    enabled: true,
    strategy: {
      name: "flexibleRollout",
      parameters: { rollout: "100", stickiness: "default" },
      variants: [variant("blue", "#0b5fff"), variant("green", "#0a7d33")],
    },
  },
  {
    name: "team-dashboard",
    type: "release",
    description: "On for half of the teams: users with the same teamId get the same result.",
    enabled: true,
    strategy: { name: "flexibleRollout", parameters: { rollout: "50", stickiness: "teamId" } },
  },
];

function variant(name, background) {
  return {
    name,
    weight: 500,
    weightType: "variable",
    stickiness: "default",
    payload: { type: "json", value: JSON.stringify({ background }) },
  };
}
