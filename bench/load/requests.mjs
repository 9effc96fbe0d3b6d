// The text of HTTP requests, and the order in which the users of a load send them.

import { createContext } from "../lib/documents.mjs";

/** Above every index that `newUsers()` can reach in a run. */
const FIRST_FIXED_USER = 1_000_000_000;

let nextNewUser = 0;

/** Users that have not been used before in this process, so that no server has cached their responses. */
export function newUsers(job) {
  const format = createFormatter(job);
  return { next: () => format(nextNewUser++) };
}

/** One user per connection, whose requests are all the same. */
export function fixedUser(job, connectionIndex) {
  const request = createFormatter(job)(FIRST_FIXED_USER + connectionIndex);
  return { next: () => request };
}

/** Sent by users who have not been served yet. As long as a real one. */
const PLACEHOLDER_TAG = '"0000000000000000000000"';

/**
 * Users who return in turn, and the last ETag of each: the clients of a polling fleet.
 *
 * @param options `size`, and `firstUser`, the index of the first user
 * @returns a function like `fixedUser()`. Each request of a connection is that of the next user of the
 *   fleet, with the last ETag if `job.isConditional`
 */
export function createFleet({ size, firstUser }) {
  const entityTags = Array.from({ length: size }, () => PLACEHOLDER_TAG);
  let position = 0;
  return (job) => {
    const format = createFormatter(job);
    let current = 0;
    return {
      next: () => {
        current = position;
        position = (position + 1) % size;
        const text = format(firstUser + current);
        if (!job.isConditional) return text;
        return `${text.slice(0, -2)}if-none-match: ${entityTags[current]}\r\n\r\n`;
      },
      received: ({ status, entityTag }) => {
        // NOTE: copied, because a substring would keep the whole head in memory.
        if (status === 200) entityTags[current] = Buffer.from(entityTag).toString();
      },
    };
  };
}

/** Returns a function that formats POST requests with a value as JSON. */
export function createPostFormatter(path, headers) {
  const fields = toFields({ ...headers, "content-type": "application/json" });
  return (value) => {
    const body = JSON.stringify(value);
    const length = `content-length: ${Buffer.byteLength(body)}\r\n`;
    return `POST ${path} HTTP/1.1\r\n${fields}${length}\r\n${body}`;
  };
}

/** Path and query of a user's request, as client SDKs format them. */
export function toTarget(path, user) {
  const { userId, sessionId, remoteAddress, properties } = createContext(user);
  const { region, plan, version } = properties;
  const query =
    `userId=${userId}&sessionId=${sessionId}&remoteAddress=${remoteAddress}` +
    `&properties%5Bregion%5D=${region}&properties%5Bplan%5D=${plan}&properties%5Bversion%5D=${version}`;
  return `${path}?${query}`;
}

function createFormatter({ method = "GET", path, headers, body }) {
  if (method === "POST") {
    const format = createPostFormatter(path, headers);
    return (user) => format(body ?? { context: createContext(user) });
  }
  const fields = toFields(headers);
  return (user) => `GET ${toTarget(path, user)} HTTP/1.1\r\n${fields}\r\n`;
}

function toFields(headers) {
  const lines = Object.entries({ host: "127.0.0.1", ...headers });
  return lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
}
