// Describes strategies and constraints in words. Whether they hold is up to the engine.

const MAX_VALUES = 6;

/** What follows the name of the context field. */
const PHRASES = {
  IN: (values) => `is ${values}`,
  NOT_IN: (values) => `is not ${values}`,
  STR_STARTS_WITH: (values) => `starts with ${values}`,
  STR_ENDS_WITH: (values) => `ends with ${values}`,
  STR_CONTAINS: (values) => `contains ${values}`,
  NUM_EQ: (values) => `is ${values}`,
  NUM_GT: (values) => `is greater than ${values}`,
  NUM_GTE: (values) => `is at least ${values}`,
  NUM_LT: (values) => `is less than ${values}`,
  NUM_LTE: (values) => `is at most ${values}`,
  DATE_AFTER: (values) => `is after ${values}`,
  DATE_BEFORE: (values) => `is before ${values}`,
  SEMVER_EQ: (values) => `is version ${values}`,
  SEMVER_GT: (values) => `is later than version ${values}`,
  SEMVER_GTE: (values) => `is version ${values} or later`,
  SEMVER_LT: (values) => `is earlier than version ${values}`,
  SEMVER_LTE: (values) => `is version ${values} or earlier`,
  REGEX: (values) => `matches ${values}`,
  IN_CIDR: (values) => `is in ${values}`,
};

export function describeConstraint({ contextName, operator, values, value, inverted }) {
  const list = values?.length > 0 ? joinValues(values) : String(value ?? "");
  const phrase = PHRASES[operator]?.(list) ?? `${operator} ${list}`;
  const text = `${contextName} ${phrase}`;
  return inverted ? `not: ${text}` : text;
}

/** Returns `DK, NO or SE`. */
export function joinValues(values, word = "or") {
  const shown = values.slice(0, MAX_VALUES).map((value) => (value === "" ? "empty" : value));
  const rest = values.length - shown.length;
  const all = rest > 0 ? [...shown, `${rest} more`] : shown;
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${word} ${all.at(-1)}`;
}

/** Describes whom a strategy selects, apart from its constraints and segments. */
export function describeActivation({ name, parameters = {} }) {
  switch (name) {
    case "default":
      return "everyone";
    case "flexibleRollout":
      return Number(parameters.rollout) === 100
        ? "everyone"
        : `${parameters.rollout} % of ${idsOf(parameters.stickiness)} (${bucketsOf(parameters.rollout)})`;
    case "userWithId":
      return `userId is ${joinList(parameters.userIds)}`;
    case "remoteAddress":
      return `the address is ${joinList(parameters.IPs)}`;
    default:
      return `the strategy ${name}`;
  }
}

function joinList(text = "") {
  return joinValues(
    text
      .split(",")
      .map((entry) => entry.trim())
      .filter((entry) => entry !== ""),
  );
}

function idsOf(stickiness = "default") {
  const names = { default: "users", userId: "users", sessionId: "sessions", random: "requests" };
  return names[stickiness] ?? `the values of ${stickiness}`;
}

function bucketsOf(rollout) {
  return Number(rollout) === 1 ? "bucket 1" : `buckets 1 to ${rollout}`;
}

/** Returns the context field that decides; undefined if the decision is random. */
export function decidingField(stickiness, context) {
  if (stickiness === "random") return undefined;
  if (stickiness && stickiness !== "default") return stickiness;
  return ["userId", "sessionId"].find((field) => valueOf(context, field) !== undefined);
}

/** Returns `plan is free`, or that the context has no such field. */
export function describeValue(context, field) {
  const value = valueOf(context, field);
  return value === undefined ? `the context has no ${field}` : `${field} is ${value}`;
}

/** Returns the value of a context field; undefined if it is absent or empty. */
export function valueOf(context, field) {
  const value = Object.hasOwn(context, field) ? context[field] : context.properties?.[field];
  return value === "" ? undefined : value;
}
