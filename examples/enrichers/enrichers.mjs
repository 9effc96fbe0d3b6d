// Context enrichers: they see the context of a request and the request itself, and return the
// context that flags are evaluated for. They run in the order of the list.

/** Takes the country from a header that the network in front sets, whatever the client says. */
function addCountry(context, request) {
  const country = request.headers["x-country"];
  return { ...context, properties: { ...context.properties, country } };
}

const PLANS = new Map([
  ["1", "pro"],
  ["2", "free"],
]);

/** Looks the plan of the user up. A real one would ask a database, and remember the answer. */
async function addPlan(context) {
  const plan = PLANS.get(context.userId) ?? "free";
  return { ...context, properties: { ...context.properties, plan } };
}

// oxlint-disable-next-line import/no-default-export -- the proxy reads the default export
export default [addCountry, addPlan];
