// Reports of usage, as client SDKs send them.

const FLAG_NAMES_PER_REPORT = 100;
const APPLICATION_COUNT = 10;

/** How many entries, flags with their counts, each report has. */
export const ENTRIES_PER_REPORT = FLAG_NAMES_PER_REPORT;

/** A request that reports usage of a part of the flags. */
export function createReport({ path, headers }, names, number) {
  const first = (number * FLAG_NAMES_PER_REPORT) % names.length;
  const toggles = names
    .slice(first, first + FLAG_NAMES_PER_REPORT)
    .map((name, index) => [name, { yes: index, no: 1, variants: { blue: index } }]);
  const body = JSON.stringify({
    appName: `app-${number % APPLICATION_COUNT}`,
    instanceId: `instance-${number}`,
    bucket: {
      start: new Date(number).toISOString(),
      stop: new Date(number + 1).toISOString(),
      toggles: Object.fromEntries(toggles),
    },
  });
  return toPost(`${path}/client/metrics`, headers, body);
}

function toPost(target, headers, body) {
  const all = {
    host: "127.0.0.1",
    ...headers,
    "content-type": "application/json",
    "content-length": String(Buffer.byteLength(body)),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${target} HTTP/1.1\r\n${lines.join("")}\r\n${body}`;
}
