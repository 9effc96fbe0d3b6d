// The requests of one connection, as text that is ready to be sent.

import { createContext } from "../documents.mjs";

/** Far above all users that a run gets to. */
const FIRST_STEADY_USER = 1_000_000_000;

let nextUser = 0;

/**
 * Requests of which each asks for another user. No user ever comes twice in the life of this
 * process, so no server has an answer ready.
 */
export function requestsOfNewUsers(job) {
  const write = createWriter(job);
  return () => write(nextUser++);
}

/** The same request again and again, by a user that no other connection has. */
export function requestsOfOneUser(job, connection) {
  const request = createWriter(job)(FIRST_STEADY_USER + connection);
  return () => request;
}

/** What writes the request of a user. */
function createWriter({ method = "GET", path, headers }) {
  const fields = toFields(headers);
  if (method === "GET") return (user) => `GET ${toTarget(path, user)} HTTP/1.1\r\n${fields}\r\n`;

  const start = `${method} ${path} HTTP/1.1\r\n${fields}content-type: application/json\r\n`;
  return (user) => {
    const body = JSON.stringify({ context: createContext(user) });
    return `${start}content-length: ${body.length}\r\n\r\n${body}`;
  };
}

/** Path and query for one user, as SDKs write it. */
export function toTarget(path, user) {
  const { userId, sessionId, remoteAddress, properties } = createContext(user);
  const { region, plan, version } = properties;
  const query =
    `userId=${userId}&sessionId=${sessionId}&remoteAddress=${remoteAddress}` +
    `&properties%5Bregion%5D=${region}&properties%5Bplan%5D=${plan}&properties%5Bversion%5D=${version}`;
  return `${path}?${query}`;
}

function toFields(headers) {
  const lines = Object.entries({ host: "127.0.0.1", ...headers });
  return lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
}
