// What servers answer to one user: for the bare server to copy, and to compare before measuring.

import { toTarget } from "../load/requests.mjs";

/** Headers that node:http writes by itself. */
const OWN_HEADERS = new Set(["connection", "date", "keep-alive", "transfer-encoding"]);

/** Asks a server once, with no compression unless the headers say otherwise. */
export async function askOnce({ port, path, headers }, user, moreHeaders = {}) {
  const response = await fetch(`http://127.0.0.1:${port}${toTarget(path, user)}`, {
    headers: { "accept-encoding": "identity", ...headers, ...moreHeaders },
  });
  return {
    status: response.status,
    headers: Object.fromEntries(
      [...response.headers].filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())),
    ),
    body: await response.text(),
  };
}

/** The answer that one user gets in one case. */
export async function answerOf(server, { load }, user) {
  const answer = await askOnce(server, user);
  if (load.isConditional !== true) return answer;
  return askOnce(server, user, { "if-none-match": answer.headers.etag });
}

/** Fails when servers do not agree about which flags are on, as their times mean nothing then. */
export async function checkAgreement(servers, user) {
  const [expected, ...others] = await Promise.all(
    servers.map(async (server) => toSummary(await askOnce(server, user))),
  );
  if (others.every((other) => other === expected)) return;
  throw new Error(`The servers do not agree about user ${user}`);
}

function toSummary({ body }) {
  const { toggles } = JSON.parse(body);
  return toggles
    .map(({ name, variant }) => `${name} ${variant.name} ${variant.payload?.value}`)
    .toSorted()
    .join();
}
