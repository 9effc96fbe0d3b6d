// What the screenshots of the console show, in addition to the demo flags of the quickstart.

const HOUR_MS = 3_600_000;
const USAGE_HOURS = 48;

const ROLLOUT = { rollout: "25", stickiness: "default", groupId: "dark-mode" };

const FEATURES = [
  {
    name: "dark-mode",
    type: "experiment",
    description: "Dark theme in the app, for a quarter of the users at first",
    tags: [{ type: "simple", value: "design" }],
    environments: [
      {
        name: "development",
        enabled: true,
        strategies: [
          {
            name: "flexibleRollout",
            title: "A quarter of the customers in the Nordic countries",
            parameters: ROLLOUT,
            segments: ["nordic-customers"],
            variants: [
              { name: "night", weight: 500, weightType: "variable", stickiness: "default" },
              { name: "dusk", weight: 500, weightType: "variable", stickiness: "default" },
            ],
          },
          {
            name: "flexibleRollout",
            title: "All customers with the plan enterprise",
            parameters: { ...ROLLOUT, rollout: "100" },
            constraints: [{ contextName: "plan", operator: "IN", values: ["enterprise"] }],
          },
        ],
      },
      {
        name: "production",
        enabled: false,
        strategies: [{ name: "flexibleRollout", parameters: { ...ROLLOUT, rollout: "5" } }],
      },
    ],
  },
  {
    name: "weekly-summary",
    type: "release",
    description: "An e-mail with the most important numbers, every Monday",
    stale: true,
    tags: [{ type: "simple", value: "growth" }],
  },
  { name: "beta-signup", type: "release", description: "The waiting list of the beta" },
];

/** A file that Unleash has exported, with a flag that does not exist here and one that does. */
export const UNLEASH_EXPORT = {
  features: [
    { name: "gift-cards", type: "release", description: "Pay with a gift card" },
    { name: "weekly-summary", type: "release", stale: true },
  ],
  featureStrategies: [
    {
      name: "flexibleRollout",
      featureName: "gift-cards",
      parameters: { rollout: "10", stickiness: "default", groupId: "gift-cards" },
    },
  ],
  featureEnvironments: ["gift-cards", "weekly-summary"].map((featureName) => ({
    featureName,
    environment: "production",
    enabled: true,
  })),
};

/** @param admin a client of the admin API @param origin address of the service */
export async function createConsoleData(admin, { origin, backendToken }) {
  await admin.post("/projects/default/import", { version: 1, features: FEATURES });
  for (const flag of ["new-header", "export-to-pdf", "button-colour"]) {
    await admin.post(`/projects/default/features/${flag}/environments/production/on`);
  }
  await admin.post("/projects/default/archive", { features: ["beta-signup"] });
  await admin.post("/projects", {
    id: "mobile",
    name: "Mobile apps",
    description: "Flags of the apps for Android and iOS",
  });
  for (const [tokenName, type, environment] of [
    ["web-proxy", "client", "production"],
    ["Jane", "editor", undefined],
    ["Support team", "viewer", undefined],
  ]) {
    await admin.post("/api-tokens", { tokenName, type, ...(environment && { environment }) });
  }
  await reportUsage({ origin, backendToken });
}

/**
 * Creates people with accounts.
 *
 * @param admin a client of the admin API
 * @returns how an admin signs in, and the link of somebody who has been invited
 */
export async function createAccounts(admin) {
  const password = "seven blue snails";
  const accounts = [
    { username: "anna", email: "anna@example.com", name: "Anna Bell", rootRole: "Admin", password },
    { username: "carla", name: "Carla Díaz", rootRole: "Editor", password },
    { email: "deniz@example.com", name: "Deniz Aydin", rootRole: "Viewer", password },
  ];
  const created = [];
  for (const account of accounts) created.push(await admin.post("/user-admin", account));
  await admin.put(`/user-admin/${created[2].id}`, { disabled: true });
  await admin.put("/projects/mobile/settings", { mode: "private" });
  const [anna, carla] = created.map(({ id }) => id);
  await admin.put("/projects/mobile/access", {
    roles: [
      { id: 4, users: [anna] },
      { id: 5, users: [carla] },
    ],
  });
  const { inviteLink } = await admin.post("/user-admin", {
    username: "ben",
    email: "ben@example.com",
    name: "Ben Okafor",
    rootRole: "Editor",
  });
  await admin.post("/invite-link/tokens", {
    name: "Support team",
    expiresAt: new Date(Date.now() + 168 * HOUR_MS).toISOString(),
  });
  return { login: { username: "anna", password }, inviteLink };
}

async function reportUsage(service) {
  const applications = [
    ["web-shop", "unleash-client-node:6.12.1", 40],
    ["checkout-service", "unleash-client-go:5.0.2", 12],
  ];
  for (const [appName, sdkVersion, scale] of applications) {
    const instance = { appName, instanceId: `${appName}-1` };
    await send(service, "register", {
      ...instance,
      sdkVersion,
      strategies: ["default", "flexibleRollout"],
      started: new Date().toISOString(),
      interval: 10_000,
    });
    for (let hour = 0; hour < USAGE_HOURS; hour++) {
      const stop = new Date(Date.now() - hour * HOUR_MS).toISOString();
      // More during the day, the same at every run.
      const yes = Math.round(scale * (12 + 9 * Math.sin((hour / 24) * 2 * Math.PI)));
      const variants = { night: Math.round(yes / 2), dusk: yes - Math.round(yes / 2) };
      const toggles = {
        "dark-mode": { yes, no: 3 * yes, variants },
        "new-header": { yes: 4 * yes, no: 0 },
      };
      await send(service, "metrics", { ...instance, bucket: { start: stop, stop, toggles } });
    }
  }
}

async function send({ origin, backendToken }, path, body) {
  const response = await fetch(`${origin}/api/client/${path}`, {
    method: "POST",
    headers: { authorization: backendToken, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
}
