// What the screenshots of the guides for product people show: a rollout in steps, a launch, and a change that others approve.

const PASSWORD = "seven blue snails";

/** Strategies, each for a percentage of the users. */
const percent = (flag, rollout) => ({
  name: "flexibleRollout",
  parameters: { rollout, stickiness: "default", groupId: flag },
});

/**
 * Creates projects with flags, plans and requests, in the names of people who have accounts.
 *
 * @param origin address of the service
 * @returns the paths of pages that have an id
 */
export async function createGuideData(origin) {
  const [anna, carla] = await Promise.all(
    ["anna", "carla"].map((username) => createClient(origin, username)),
  );
  await createShop(anna.send);
  const launch = await createLaunch(anna.send);
  const review = await createReview(anna.send, carla.send);
  await Promise.all([anna.signOut(), carla.signOut()]);
  return { launch, review };
}

/** A flag whose percentage rises, one that is to get a plan, and one with a change to undo. */
async function createShop(anna) {
  await createProject(anna, { id: "shop", name: "Web shop" });
  await createFlag(anna, "shop", "one-page-checkout", "On one page instead of three");
  await createFlag(anna, "shop", "saved-carts", "Customers find their cart on every device");
  const [{ id }] = await anna("GET", strategiesOf("shop", "saved-carts"));
  await anna("PUT", `${strategiesOf("shop", "saved-carts")}/${id}/rollout-plan`, {
    steps: [
      { rollout: 10, holdMinutes: 1440 },
      { rollout: 25, holdMinutes: 1440 },
      { rollout: 50, holdMinutes: null },
      { rollout: 100, holdMinutes: null },
    ],
  });
  await anna("POST", `${strategiesOf("shop", "saved-carts")}/${id}/rollout-plan/skip`);
  await createFlag(anna, "shop", "search-suggestions", "Suggests products while people type");
  const [search] = await anna("GET", strategiesOf("shop", "search-suggestions"));
  await anna(
    "PUT",
    `${strategiesOf("shop", "search-suggestions")}/${search.id}`,
    percent("search-suggestions", "100"),
  );
}

/** A flag that is turned on at a date. */
async function createLaunch(anna) {
  await createProject(anna, { id: "campaigns", name: "Campaigns" });
  await createFlag(anna, "campaigns", "spring-sale", "Banner and prices of the spring sale", false);
  await createFlag(anna, "campaigns", "gift-wrapping", "Offer to wrap presents", false);
  const { id } = await anna("POST", requestsIn("campaigns"), [
    { feature: "spring-sale", action: "updateEnabled", payload: { enabled: true } },
  ]);
  return `/projects/campaigns/change-requests/${id}`;
}

/** A request that waits for a review. */
async function createReview(anna, carla) {
  await createProject(anna, { id: "payments", name: "Payments" });
  await createFlag(anna, "payments", "instant-refunds", "Refunds within a minute");
  await createFlag(anna, "payments", "pay-by-invoice", "For customers with an account");
  await anna("PUT", "/projects/payments/environments/production/change-requests/config", {
    changeRequestsEnabled: true,
    requiredApprovals: 1,
  });
  const [{ id: strategy }] = await anna("GET", strategiesOf("payments", "instant-refunds"));
  const { id } = await carla("POST", requestsIn("payments"), [
    {
      feature: "instant-refunds",
      action: "updateStrategy",
      payload: { id: strategy, ...percent("instant-refunds", "50") },
    },
  ]);
  const path = `/projects/payments/change-requests/${id}`;
  await carla("PUT", `${path}/title`, { title: "Refunds for half of the customers" });
  await carla("PUT", `${path}/state`, { state: "In review" });
  await carla("POST", `${path}/comments`, { text: "No problems in the first week with 10%." });
  return path;
}

const strategiesOf = (project, flag) =>
  `/projects/${project}/features/${flag}/environments/production/strategies`;

const requestsIn = (project) => `/projects/${project}/environments/production/change-requests`;

async function createProject(send, project) {
  await send("POST", "/projects", project);
}

/** Creates a flag for 10% of the users in production. */
async function createFlag(send, project, name, description, isOn = true) {
  await send("POST", `/projects/${project}/features`, { name, description });
  await send("POST", strategiesOf(project, name), percent(name, isOn ? "10" : "100"));
  if (isOn) await send("POST", `/projects/${project}/features/${name}/environments/production/on`);
}

/** Signs in, and returns functions that send requests in the name of the user, and end the session. */
async function createClient(origin, username) {
  const json = { "content-type": "application/json", origin };
  const signedIn = await fetch(`${origin}/auth/simple/login`, {
    method: "POST",
    headers: json,
    body: JSON.stringify({ username, password: PASSWORD }),
  });
  const cookie = signedIn.headers
    .getSetCookie()
    .map((text) => text.split(";")[0])
    .join("; ");
  const send = async (method, path, body) => {
    const response = await fetch(`${origin}/api/admin${path}`, {
      method,
      headers: { ...(body && json), origin, cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === "" ? undefined : JSON.parse(text);
  };
  const signOut = () =>
    fetch(`${origin}/logout`, {
      method: "POST",
      headers: { origin, cookie },
      redirect: "manual",
    });
  return { send, signOut };
}
