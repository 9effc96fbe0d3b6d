const EVENT_ID = /^\s*(?:W\/)?"?(\d{1,15})"?\s*$/i;

/** Which state an SDK says it has, as an ETag or an event id; undefined when that cannot be told. */
export function parseEventId(text: string | undefined): number | undefined {
  const [, digits] = EVENT_ID.exec(text ?? "") ?? [];
  return digits === undefined ? undefined : Number(digits);
}
