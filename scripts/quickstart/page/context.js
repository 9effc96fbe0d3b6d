// The context of the request: the values of the form, kept in the URL so that they survive a reload.

const START = "?userId=1&properties[plan]=pro&properties[country]=NO&properties[teamId]=blue";

/** The context that the address of the page holds; a fixed one on the first visit. */
export function readAddress() {
  const query = new URLSearchParams(location.search || START);
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

/** The query of `GET /proxy`; what is empty is left out. */
export function toQuery({ userId, properties }) {
  const parts = userId === "" ? [] : [`userId=${encodeURIComponent(userId)}`];
  for (const { name, value } of properties) {
    if (name === "" || value === "") continue;
    parts.push(`properties[${encodeURIComponent(name)}]=${encodeURIComponent(value)}`);
  }
  return parts.join("&");
}

/** The next one after 9 is 10, after anna-1 it is anna-2, after anna it is anna-2. */
export function nextUser(userId) {
  const [, stem, number] = /^(.*?)(\d{0,9})$/.exec(userId);
  return number === "" ? `${stem === "" ? "" : `${stem}-`}2` : `${stem}${Number(number) + 1}`;
}
