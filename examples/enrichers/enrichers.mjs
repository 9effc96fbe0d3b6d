// Context enrichers receive the context and the request, and return the context for which flags are
// evaluated. They run in the order of the list.

/** Sets the country from a header that the CDN adds, regardless of what the client sends. */
function addCountry(context, request) {
  const country = request.headers["x-country"];
  return { ...context, properties: { ...context.properties, country } };
}

const PLANS = new Map([
  ["1", "pro"],
  ["2", "free"],
]);

/** Adds the user's plan. In practice, query a database and cache the result. */
async function addPlan(context) {
  const plan = PLANS.get(context.userId) ?? "free";
  return { ...context, properties: { ...context.properties, plan } };
}

// oxlint-disable-next-line import/no-default-export -- the proxy reads the default export
export default [addCountry, addPlan];
