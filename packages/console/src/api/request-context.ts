/** The values of a context by the name of their field, as a person types them. */
export type ContextValues = Readonly<Record<string, string>>;

/** Fields that every application can send. All others are properties. */
export const STANDARD_FIELDS = ["userId", "sessionId", "appName", "remoteAddress", "currentTime"];

/** Returns the context of a request, without empty values. */
export function toRequestContext(values: ContextValues) {
  const filled = Object.entries(values).filter(([, value]) => value !== "");
  return {
    ...Object.fromEntries(filled.filter(([name]) => STANDARD_FIELDS.includes(name))),
    properties: Object.fromEntries(filled.filter(([name]) => !STANDARD_FIELDS.includes(name))),
  };
}
