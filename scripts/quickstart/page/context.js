// The context of the request: the values of the form, kept in the URL so that it can be reloaded and shared.

const DEFAULT_QUERY =
  "?userId=1&sessionId=demo-session&properties[plan]=pro&properties[country]=NO&properties[teamId]=blue";

/** Reads the context from the address of the page; returns a default one on the first visit. */
export function readAddress() {
  const query = new URLSearchParams(location.search || DEFAULT_QUERY);
  const properties = [];
  for (const [key, value] of query) {
    const name = /^properties\[(.+)\]$/.exec(key)?.[1];
    if (name !== undefined) properties.push({ name, value });
  }
  return { userId: query.get("userId") ?? "", sessionId: query.get("sessionId") ?? "", properties };
}

export function writeAddress(context) {
  history.replaceState(null, "", `?${toQuery(context)}`);
}

/** Returns the query of `GET /proxy`, without empty values. */
export function toQuery({ userId, sessionId, properties }) {
  const fields = Object.entries({ userId, sessionId });
  const parts = fields
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  for (const { name, value } of properties) {
    if (name === "" || value === "") continue;
    parts.push(`properties[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`);
  }
  return parts.join("&");
}

/** Returns the context as an SDK receives it, without empty values. */
export function toContext({ userId, sessionId, properties }) {
  const used = properties.filter(({ name, value }) => name !== "" && value !== "");
  return {
    ...(userId !== "" && { userId }),
    ...(sessionId !== "" && { sessionId }),
    ...(used.length > 0 && {
      properties: Object.fromEntries(used.map(({ name, value }) => [name, value])),
    }),
  };
}

/** Returns one line, such as `user 1, plan pro`. */
export function toText({ userId, properties }) {
  const used = properties.filter(({ name, value }) => name !== "" && value !== "");
  const texts = used.map(({ name, value }) => `${name} ${value}`);
  return [userId === "" ? "no user" : `user ${userId}`, ...texts].join(", ");
}

/** Returns the next user id: 10 after 9, and anna-2 after both anna-1 and anna. */
export function nextUser(userId) {
  const [, stem, number] = /^(.*?)(\d{0,9})$/.exec(userId);
  return number === "" ? `${stem === "" ? "" : `${stem}-`}2` : `${stem}${Number(number) + 1}`;
}
