// The context of the request: the values of the form, kept in the URL so that they survive a reload.

const DEFAULT_QUERY =
  "?userId=1&properties[plan]=pro&properties[country]=NO&properties[teamId]=blue";

/** Reads the context from the address of the page; returns a default one on the first visit. */
export function readAddress() {
  const query = new URLSearchParams(location.search || DEFAULT_QUERY);
  const properties = [];
  for (const [key, value] of query) {
    const name = /^properties\[(.+)\]$/.exec(key)?.[1];
    if (name !== undefined) properties.push({ name, value });
  }
  return { userId: query.get("userId") ?? "", properties };
}

export function writeAddress(context) {
  history.replaceState(null, "", `?${toQuery(context)}`);
}

/** Returns the query of `GET /proxy`, without empty values. */
export function toQuery({ userId, properties }) {
  const parts = userId === "" ? [] : [`userId=${encodeURIComponent(userId)}`];
  for (const { name, value } of properties) {
    if (name === "" || value === "") continue;
    parts.push(`properties[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`);
  }
  return parts.join("&");
}

/** Returns the next user id: 10 after 9, and anna-2 after both anna-1 and anna. */
export function nextUser(userId) {
  const [, stem, number] = /^(.*?)(\d{0,9})$/.exec(userId);
  return number === "" ? `${stem === "" ? "" : `${stem}-`}2` : `${stem}${Number(number) + 1}`;
}
