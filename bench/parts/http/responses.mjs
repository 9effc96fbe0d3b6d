// Single responses, read before measuring: for the bare server to copy, and to compare the servers.

import { toTarget } from "../../load/requests.mjs";

/** A user that no load reaches. */
export const EXAMPLE_USER = 999_999_999;

/** Headers that node:http writes itself. */
const AUTOMATIC_HEADERS = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

/** Requests the flags of a user, uncompressed unless `extraHeaders` say otherwise. */
export async function fetchFlags({ port, path, headers }, user, extraHeaders = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${toTarget(path, user)}`, {
    headers: { "accept-encoding": "identity", ...headers, ...extraHeaders },
  });
  return {
    status: response.status,
    headers: Object.fromEntries(
      [...response.headers].filter(([name]) => !AUTOMATIC_HEADERS.has(name.toLowerCase())),
    ),
    body: await response.text(),
  };
}

/** Requests the flags of a user, with the matching ETag if `isConditional`. */
export async function fetchExample(server, user, isConditional = false) {
  const response = await fetchFlags(server, user);
  if (!isConditional) return response;
  return fetchFlags(server, user, { "if-none-match": response.headers.etag });
}

/** @throws {Error} if servers disagree on a user's flags: their times would not be comparable */
export async function checkAgreement(servers, user) {
  const [expected, ...others] = await Promise.all(
    servers.map(async (server) => toSummary(await fetchFlags(server, user))),
  );
  if (others.every((other) => other === expected)) return;
  throw new Error(`The servers disagree on the flags of user ${user}`);
}

function toSummary({ body }) {
  const { toggles } = JSON.parse(body);
  return toggles
    .map(({ name, variant }) => `${name} ${variant.name} ${variant.payload?.value}`)
    .toSorted()
    .join();
}
